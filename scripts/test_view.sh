#!/bin/sh
# The viewer's page in a real browser: installs the driver of the browser (npm, pinned) and runs test/view/page/*.test.mjs.
set -eu
cd "$(dirname "$0")/../test/view/page"
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.installed
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
node --test --test-reporter=tap . > "$log" 2>&1 || status=$?
grep -E '^ *(not )?ok ' "$log" | sed 's/ # .*//'
[ $status = 0 ] || cat "$log"
total=$(sed -n 's/^# tests //p' "$log")
failed=$(sed -n 's/^# fail //p' "$log")
total=${total:-1}
failed=${failed:-1}
echo "$(((total - failed) * 100 / total))% tests passed, $failed tests failed out of $total"
exit $status
