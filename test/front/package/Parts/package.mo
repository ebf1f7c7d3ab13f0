within Lib;
package Parts
end Parts;
