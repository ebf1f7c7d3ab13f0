model M
  record Geo parameter Real l=1; end Geo; record GeoH extends Geo(l=3); parameter Real k=2;
    end GeoH; model HX replaceable parameter Geo geometry; replaceable input Real u[2];
    Real y=geometry.l+sum(u); end HX; type Angle=Real(unit="rad");
    HX h(replaceable GeoH geometry,redeclare Angle u={1,2}); 
end M;
// h.y = 6.0
