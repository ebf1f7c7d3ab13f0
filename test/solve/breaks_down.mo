model BreaksDown "its linear group becomes singular at 0.0592 s"
inner Dialectic.World world(TD=0.01, g=0.0, damped=false);
Dialectic.Planar.Fixed base;
Dialectic.Planar.Prismatic e1(r={-0.48413732246022856,0.3009455118630793}, s(start=-0.31469360507301625), v(start=-0.6564869314564654));
Dialectic.Planar.FixedRotation e2(alpha=-1.678860886841627);
Dialectic.Planar.FixedTranslation e3(r={-0.889373641386463,0.6605049464968049});
Dialectic.Planar.Body b3(m=0.25513559682450915, I=0.0500897856511115);
Dialectic.Planar.Prismatic e4(r={-0.2733015935195071,0.647111506573776}, s(start=0.5467956146614572), v(start=-1.5520926881306067));
Dialectic.Planar.FixedTranslation e5(r={0.2484855662859784,0.783907483831747});
Dialectic.Planar.Body b5(m=0.20314848011975356, I=0.64088410010987);
Dialectic.Planar.Revolute e6(phi(start=2.7745993926210435), w(start=1.7523493855003132));
Dialectic.Rotational.SpringDamper f6(c=1333.7687155301885, d=2.0812198933016894, phi0=-0.1352080668413912);
Dialectic.Planar.FixedTranslation e7(r={0.7955398014887887,0.26023550159703346});
Dialectic.Planar.Body b7(m=9.823196350217232, I=0.03247978043323063);
equation
connect(base.frame, e1.frame_a);
connect(e1.frame_b, e2.frame_a);
connect(e2.frame_b, e3.frame_a);
connect(e3.frame_b, b3.frame_a);
connect(base.frame, e4.frame_a);
connect(e4.frame_b, e5.frame_a);
connect(e5.frame_b, b5.frame_a);
connect(e3.frame_b, e6.frame_b);
connect(e6.support, f6.flange_a); connect(f6.flange_b, e6.flange_a);
connect(e6.frame_a, e7.frame_a);
connect(e7.frame_b, b7.frame_a);
end BreaksDown;
