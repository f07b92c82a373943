# expect: output "done"
import sys
print("done")
sys.exit(0)
