model M
 Real d=0.2+0.1*sin(time); Real x=delay(time^2,d,0.5);
end M;
// stop 2
// x(0.74) = 0.2233235474218388
// x = 2.920921144447073
