package Signals

  type Smoothness = enumeration(
    LinearSegments "lines between the points",
    ContinuousDerivative "Akima splines",
    ConstantSegments "the value of the point before",
    MonotoneContinuousDerivative1 "Fritsch-Butland splines",
    MonotoneContinuousDerivative2 "Steffen splines",
    ModifiedContinuousDerivative "modified Akima splines") "how a table goes on between its points";

  type Extrapolation = enumeration(
    HoldLastPoint "the last value",
    LastTwoPoints "along the last line",
    Periodic "from the beginning",
    NoExtrapolation "an error") "how a table goes on beyond its points";

  type TimeEvents = enumeration(
    Always "at every point where the table bends",
    AtDiscontinuities "where it jumps",
    NoTimeEvents "nowhere") "where a table over time stops solvers";

  // ------------------------------------------------------------------ files

  function tableSize "rows and columns of a table in a file"
    input String fileName;
    input String tableName = "NoName";
    input String delimiter = ",";
    input Integer nHeaderLines = 1;
    output Integer n[2];
    external "C" Lieder_tableSize(fileName, tableName, delimiter, nHeaderLines, n);
  end tableSize;

  function tableNumbers "the numbers of a table in a file"
    input String fileName;
    input String tableName;
    input String delimiter;
    input Integer nHeaderLines;
    input Integer n[2];
    output Real table[n[1], n[2]];
    external "C" Lieder_tableNumbers(fileName, tableName, delimiter, nHeaderLines, table, n[1], n[2]);
  end tableNumbers;

  function readTable "a matrix from a file: .csv, .mat (version 4), or the text format of the Modelica Standard Library"
    input String fileName "beside the model, in the current folder, or absolute";
    input String tableName = "NoName" "in .mat and text files";
    input String delimiter = "," "between the numbers of a .csv file";
    input Integer nHeaderLines = 1 "lines before the numbers of a .csv file";
    output Real table[:, :];
  algorithm
    table := tableNumbers(fileName, tableName, delimiter, nHeaderLines, tableSize(fileName, tableName, delimiter, nHeaderLines));
  end readTable;

  block CsvInput "a column of a .csv file over time, as recorded by an experiment or by lieder: linear in between, two rows of one time are a jump"
    RealOutput y;
    parameter String fileName "beside the model, in the current folder, or absolute";
    parameter Integer column(min = 2) = 2 "column of the value; the first one is time";
    parameter String delimiter = "," "between the numbers";
    parameter Integer nHeaderLines = 1 "lines before the numbers";
    final parameter Real numbers[:, :] = readTable(fileName, delimiter = delimiter, nHeaderLines = nHeaderLines);
    TimeTable source(table = [numbers[:, 1], numbers[:, column]]);
  equation
    connect(source.y, y);
  end CsvInput;

  // ------------------------------------------------------------------ objects

  class Table1D "a table of one argument"
    extends ExternalObject;
    function constructor
      input String fileName, tableName;
      input Real table[:, :];
      input Integer columns[:];
      input Smoothness smoothness;
      input Extrapolation extrapolation;
      input String delimiter;
      input Integer nHeaderLines;
      output Table1D id;
      external "C" id = ModelicaStandardTables_CombiTable1D_init3(fileName, tableName, table, size(table, 1), size(table, 2),
        columns, size(columns, 1), smoothness, extrapolation, false, delimiter, nHeaderLines);
    end constructor;
    function destructor
      input Table1D id;
      external "C" ModelicaStandardTables_CombiTable1D_close(id);
    end destructor;
  end Table1D;

  function value1D "value of column i at u"
    input Table1D id;
    input Integer i;
    input Real u;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(id, i, u);
  end value1D;

  class Table2D "a table of two arguments"
    extends ExternalObject;
    function constructor
      input String fileName, tableName;
      input Real table[:, :];
      input Smoothness smoothness;
      input Extrapolation extrapolation;
      input String delimiter;
      input Integer nHeaderLines;
      output Table2D id;
      external "C" id = ModelicaStandardTables_CombiTable2D_init3(fileName, tableName, table, size(table, 1), size(table, 2),
        smoothness, extrapolation, false, delimiter, nHeaderLines);
    end constructor;
    function destructor
      input Table2D id;
      external "C" ModelicaStandardTables_CombiTable2D_close(id);
    end destructor;
  end Table2D;

  function value2D "value at (u1, u2)"
    input Table2D id;
    input Real u1, u2;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTable2D_getValue(id, u1, u2);
  end value2D;

  // ------------------------------------------------------------------ blocks

  partial block Tabulated "where the numbers of a table come from"
    parameter Boolean tableOnFile = false "the table stands in a file";
    parameter String tableName = "NoName" "its name in a .mat or text file";
    parameter String fileName = "NoName" "the file: beside the model, in the current folder, or absolute";
    parameter String delimiter = "," "between the numbers of a .csv file";
    parameter Integer nHeaderLines = 0 "lines before the numbers of a .csv file";
    parameter Smoothness smoothness = Smoothness.LinearSegments "between the points";
    parameter Extrapolation extrapolation = Extrapolation.LastTwoPoints "beyond the points";
  end Tabulated;

  block CombiTable1Ds "columns of a table at u: y[i] is column columns[i]"
    extends Tabulated;
    parameter Real table[:, :] = fill(0.0, 0, 2) "rows of u and values";
    parameter Integer columns[:] = 2:size(table, 2) "columns that are put out";
    RealInput u;
    RealOutput y[size(columns, 1)];
  protected
    parameter Table1D id = Table1D(if tableOnFile then fileName else "NoName", tableName, table, columns, smoothness, extrapolation,
      delimiter, nHeaderLines);
  equation
    for i in 1:size(columns, 1) loop
      y[i] = value1D(id, i, u);
    end for;
  end CombiTable1Ds;

  block CombiTable2Ds "a table at u1 (first column) and u2 (first row)"
    extends Tabulated;
    parameter Real table[:, :] = fill(0.0, 0, 2) "first row and first column are the arguments, table[1, 1] is not used";
    RealInput u1 "along the first column";
    RealInput u2 "along the first row";
    RealOutput y;
  protected
    parameter Table2D id = Table2D(if tableOnFile then fileName else "NoName", tableName, table, smoothness, extrapolation,
      delimiter, nHeaderLines);
  equation
    y = value2D(id, u1, u2);
  end CombiTable2Ds;

  class TableOfTime "a table over time"
    extends ExternalObject;
    function constructor
      input String fileName, tableName;
      input Real table[:, :];
      input Real startTime;
      input Integer columns[:];
      input Smoothness smoothness;
      input Extrapolation extrapolation;
      input Real shiftTime;
      input TimeEvents timeEvents;
      input String delimiter;
      input Integer nHeaderLines;
      output TableOfTime id;
      external "C" id = ModelicaStandardTables_CombiTimeTable_init3(fileName, tableName, table, size(table, 1), size(table, 2),
        startTime, columns, size(columns, 1), smoothness, extrapolation, shiftTime, timeEvents, false, delimiter, nHeaderLines);
    end constructor;
    function destructor
      input TableOfTime id;
      external "C" ModelicaStandardTables_CombiTimeTable_close(id);
    end destructor;
  end TableOfTime;

  function valueOverTime "value of column i at time t; the piece of the table is that up to the next event"
    input TableOfTime id;
    input Integer i;
    input Real t, next, pre_next;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(id, i, t, next, pre_next);
  end valueOverTime;

  function nextEvent "the next time at which the table bends or jumps"
    input TableOfTime id;
    input Real t;
    output Real next;
    external "C" next = ModelicaStandardTables_CombiTimeTable_nextTimeEvent(id, t);
  end nextEvent;

  block CombiTimeTable "columns of a table over time: y[i] = offset[i] + column columns[i]; TimeTable is faster where there are many rows"
    extends Tabulated;
    parameter Real table[:, :] = fill(0.0, 0, 2) "rows of time and values";
    parameter Integer columns[:] = 2:size(table, 2) "columns that are put out";
    parameter Real offset[:] = {0} "added to y; of one number: to all";
    parameter Real startTime(unit = "s") = 0 "y = offset before";
    parameter Real shiftTime(unit = "s") = startTime "where the time of the table is 0";
    parameter Real timeScale(unit = "s", min = 1e-60) = 1 "unit of the first column";
    parameter TimeEvents timeEvents = TimeEvents.Always "where solvers begin anew";
    final parameter Integer n = size(columns, 1);
    RealOutput y[n];
  protected
    final parameter Real p[n] = if size(offset, 1) == 1 then fill(offset[1], n) else offset;
    parameter TableOfTime id = TableOfTime(if tableOnFile then fileName else "NoName", tableName, table, startTime/timeScale,
      columns, smoothness, extrapolation, shiftTime/timeScale, timeEvents, delimiter, nHeaderLines);
    discrete Real next(start = 0, fixed = true) "next event in units of the table";
    discrete Real nextTime(start = 0, fixed = true) "next event in s";
  equation
    when {time >= pre(nextTime), initial()} then
      next = nextEvent(id, time/timeScale);
      nextTime = if next < 1e60 then next*timeScale else 1e60;
    end when;
    for i in 1:n loop
      y[i] = p[i] + valueOverTime(id, i, time/timeScale, next, pre(next));
    end for;
  end CombiTimeTable;
end Signals;
