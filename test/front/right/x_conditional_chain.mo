model M
 connector I=input Real; connector O=output Real; block Filter parameter Integer order=2; I u;
   O y; protected Real x[order](each start=0,each fixed=true);
   equation if order>0 then der(x[1])=u-x[1]; for i in 2:order loop der(x[i])=x[i-1]-x[i];
   end for; y=x[order]; else y=u; end if; end Filter;
   Filter a(order=0,u=1), b(order=1,u=1), c(order=3,u=1);
end M;
// a.y = 1.0
// b.y(0.37) = 0.3092656693626453
// b.y = 0.6321205588285577
// c.y(0.37) = 0.006413202094697201
// c.y = 0.08030139707139416
