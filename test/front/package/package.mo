package Lib "a package in a folder"
  constant Real density = 2.5;
end Lib;
