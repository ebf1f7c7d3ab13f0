package P
 operator record V Real x; Real y; encapsulated operator '+' function add import P.V; input V a;
   input V b; output V c=V(a.x+b.x,a.y+b.y); algorithm end add; end '+';
   encapsulated operator '*' function dot import P.V; input V a; input V b;
   output Real c=a.x*b.x+a.y*b.y; algorithm end dot; function sc import P.V; input Real k;
   input V b; output V c=V(k*b.x,k*b.y); algorithm end sc; end '*';
   encapsulated operator function 'String' import P.V; input V v;
   output String s="("+String(v.x)+")"; algorithm end 'String'; end V;
 model M V a=V(1,time); V b=2*a+a; Real d=a*b; parameter String s=String(V(1,2));
   Real q=if s=="(1)" then 1 else 0; end M;
end P;
// class P.M
// d(0.37) = 3.4107
// d = 6.0
// q = 1.0
