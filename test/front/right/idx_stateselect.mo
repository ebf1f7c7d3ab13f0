model M
 Real x(start=1,fixed=true,stateSelect=StateSelect.never), y(stateSelect=StateSelect.always),
   z(stateSelect=StateSelect.prefer); equation y=2*x; z=x+y; der(x)=-x; end M;
// x(0.37) = 0.6907343306373547
// x = 0.36787944117144233
// y(0.37) = 1.3814686612747094
// y = 0.7357588823428847
