model Test
  model TF parameter Real b[:]={1}; parameter Real a[:]={1,1}; Real s=sum(b)+sum(a); end TF;
    model PI parameter Real k=1; parameter Real T=1; TF tf(final b=k*{T,1},final a={T,0});
    end PI; PI c1(k=2,T=3);
end Test;
// c1.tf.s = 11.0
