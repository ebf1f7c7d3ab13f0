model M
 Boolean b=sin(10*time)>0; Integer up(start=0,fixed=true), any(start=0,fixed=true);
   equation when b then up=pre(up)+1; end when; when change(b) then any=pre(any)+1; end when;
   end M;
// stop 2
// any = 7.0
// up = 4.0
