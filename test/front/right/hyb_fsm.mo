model TL
 type S=enumeration(red,green,yellow); S s(start=S.red,fixed=true);
   discrete Real t0(start=0,fixed=true); Integer n(start=0,fixed=true);
equation when time>=pre(t0)+(if pre(s)==S.red then 3 elseif pre(s)==S.green then 4 else 1) then
  s=if pre(s)==S.red then S.green elseif pre(s)==S.green then S.yellow else S.red; t0=time;
  n=pre(n)+1; end when; end TL;
// stop 11.5
// s = 2.0
// n = 4.0
