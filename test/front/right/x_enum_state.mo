model M
 type S=enumeration(idle,run,stop); S s(start=S.idle,fixed=true);
   Integer cnt[S](each start=0,each fixed=true); Real x=sin(7*time);
   equation when x>0.5 then s=if pre(s)==S.idle then S.run elseif pre(s)==S.run then S.stop
   else S.idle; end when; for k in S loop when s==k then cnt[k]=pre(cnt[k])+1; end when;
   end for;
end M;
// stop 3
// cnt[2] = 2.0
// s = 2.0
