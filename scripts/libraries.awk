# libraries.awk - rows "library TAB class TAB verdict TAB why" as docs/libraries.md; limit: seconds of each example,
# machine: where it ran, versions: of the libraries, absent: examples whose reference is not there. Of libraries with more than
# MANY examples those that are not inside are listed.
BEGIN { MANY = 60 }
{
    if (!($1 in total)) order[++nlibrary] = $1
    total[$1]++
    count[$1, $3]++
    sum[$3]++
    verdict[$1, total[$1]] = $3
    row[$1, total[$1]] = "| " substr($2, length($1) + 2) " | " $3 " | " $4 " |"
    if ($3 == "refused" || $3 == "failed") {
        why = $4
        sub(/^[^ ]*: /, "", why)
        gsub(/'[^']*'/, "'...'", why)
        gsub(/"[^"]*"/, "\"...\"", why)
        sub(/^[A-Za-z0-9_.\[\]]*: /, "", why)
        if (!(why in reason)) reasons[++nreason] = why
        reason[why]++
    }
}
END {
    print "# Libraries of others\n"
    print "Written by `make test-libraries LIBRARIES=DIR`, which runs every example that has a reference result and compares by"
    print "`lieder compare`: each variable of the reference inside the rectangle tube of tolerance 2e-3. How DIR is laid out stands"
    print "in `scripts/libraries.sh`. *refused*: the program says that it cannot run the model, and why; *failed*: the run ended with an"
    print "error; *outside*: it ran, and a variable left the tube or is missing; *time*: it was stopped after " limit " s.\n"
    print "Machine: " machine ". Libraries: " versions ".\n"
    print "| library | examples | inside | outside | refused | failed | time | crash |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= nlibrary; i++) {
        l = order[i]
        printf "| %s | %d | %d | %d | %d | %d | %d | %d |\n", l, total[l], count[l, "inside"], count[l, "outside"], \
            count[l, "refused"], count[l, "failed"], count[l, "time"], count[l, "crash"]
    }
    printf "| all | %d | %d | %d | %d | %d | %d | %d |\n\n", NR, sum["inside"], sum["outside"], sum["refused"], \
        sum["failed"], sum["time"], sum["crash"]
    print "## What refuses most\n"
    print "First error of each example that is refused or fails.\n\n| examples | error |\n|---|---|"
    for (n = NR; n >= 1; n--)
        for (i = 1; i <= nreason; i++)
            if (reason[reasons[i]] == n) printf "| %d | %s |\n", n, reasons[i]
    for (i = 1; i <= nlibrary; i++) {
        l = order[i]
        printf "\n## %s\n\n%s| example | verdict | why |\n|---|---|---|\n", l, (total[l] > MANY ? "Those that are not inside:\n\n" : "")
        for (k = 1; k <= total[l]; k++)
            if (total[l] <= MANY || verdict[l, k] != "inside") print row[l, k]
    }
    if (absent != "") {
        gsub(/ /, ", ", absent)
        print "\n## Not counted\n\nExamples whose published result is not in DIR: " absent "."
    }
}
