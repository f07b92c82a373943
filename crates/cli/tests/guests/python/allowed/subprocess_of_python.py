# expect: output "42\n"
import subprocess, sys
subprocess.run([sys.executable, "-I", "-c", "print(6 * 7)"], capture_output=True, text=True).stdout
