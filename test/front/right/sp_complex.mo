operator record Complex Real re; Real im;
 encapsulated operator 'constructor' import Complex; function fromReal input Real re;
   input Real im:=0; output Complex result(re=re,im=im); algorithm annotation(Inline=true);
   end fromReal; end 'constructor';
 encapsulated operator function '+' import Complex; input Complex c1; input Complex c2;
   output Complex result; algorithm result:=Complex(c1.re+c2.re,c1.im+c2.im);
   annotation(Inline=true); end '+';
 encapsulated operator '-' import Complex; function negate input Complex c;
   output Complex result; algorithm result:=Complex(-c.re,-c.im); end negate;
   function subtract input Complex c1; input Complex c2; output Complex result;
   algorithm result:=Complex(c1.re-c2.re,c1.im-c2.im); end subtract; end '-';
 encapsulated operator function '*' import Complex; input Complex c1; input Complex c2;
   output Complex result;
   algorithm result:=Complex(c1.re*c2.re-c1.im*c2.im,c1.re*c2.im+c1.im*c2.re); end '*';
 encapsulated operator function 'String' import Complex; input Complex c;
   input String name:="j"; input Integer significantDigits=6; output String s;
   algorithm s:=String(c.re,significantDigits=significantDigits);
   if c.im<>0 then s:=if c.im>0 then s+" + " else s+" - ";
   s:=s+String(abs(c.im),significantDigits=significantDigits)+name; end if; end 'String';
 encapsulated function j import Complex; output Complex c; algorithm c:=Complex(0,1);
   annotation(Inline=true); end j;
 encapsulated operator function '0' import Complex; output Complex c; algorithm c:=Complex(0,0);
   end '0';
end Complex;
operator record CV=Complex(re(unit="V"),im(unit="V"));
  operator record CC=Complex(re(unit="A"),im(unit="A"));
connector CPin CV v; flow CC i; end CPin;
model Z CPin p,n; parameter Real R=1,X=1; equation p.v-n.v=Complex(R,X)*p.i;
  p.i+n.i=Complex(0,0); end Z; model S CPin p; parameter Complex V=Complex(2,0); equation p.v=V;
  end S;
model M Complex j=Complex.j(); Complex c1=2+3*j; Complex c2=3+4*j; Complex c3=c1+c2;
  Z a(R=1,X=0),b(R=0,X=1); S s; S g(V=Complex(0,0)); equation connect(s.p,a.p);
  connect(s.p,b.p); connect(a.n,g.p); connect(b.n,g.p); end M;
// class M
// c3.im = 7.0
// s.p.i.re = -2.0
// s.p.i.im = 2.0
