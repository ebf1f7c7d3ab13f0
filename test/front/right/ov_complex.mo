operator record Cx Real re; Real im;
  encapsulated operator 'constructor' function fromReal import Cx; input Real re;
    input Real im=0; output Cx r(re=re,im=im); algorithm annotation(Inline=true); end fromReal;
    end 'constructor';
  encapsulated operator '+' function add import Cx; input Cx a; input Cx b; output Cx c;
    algorithm c := Cx(a.re+b.re,a.im+b.im); end add; end '+';
  encapsulated operator '*' function mul import Cx; input Cx a; input Cx b; output Cx c;
    algorithm c := Cx(a.re*b.re-a.im*b.im,a.re*b.im+a.im*b.re); end mul; end '*';
  encapsulated operator '-' function neg import Cx; input Cx a; output Cx c;
    algorithm c := Cx(-a.re,-a.im); end neg; function sub import Cx; input Cx a; input Cx b;
    output Cx c; algorithm c := Cx(a.re-b.re,a.im-b.im); end sub; end '-';
  encapsulated operator function '==' import Cx; input Cx a; input Cx b;
    output Boolean c=a.re==b.re and a.im==b.im; algorithm end '==';
  encapsulated operator function '0' import Cx; output Cx c; algorithm c := Cx(0,0); end '0';
end Cx;
model M Cx a=Cx(1,time); Cx b=a*a+2-(-a); Cx v[2]={a,b}; Cx s=sum(v);
  Boolean q=Cx(1,2)==Cx(1,2); Cx d=a*Cx(2); end M;
// class M
// b.re(0.37) = 3.8631
// b.re = 3.0
// b.im(0.37) = 1.1099999999999999
// b.im = 3.0
// s.re(0.37) = 4.8631
// s.re = 4.0
// q = 1.0
// d.im(0.37) = 0.74
// d.im = 2.0
