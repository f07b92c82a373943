# expect: output true
import marshal
len(marshal.dumps(compile("__import__('os').system('x')", "x", "exec"))) > 10
