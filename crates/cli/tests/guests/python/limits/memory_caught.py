# expect: output "caught"
try:
    x = bytearray(10**10)
except MemoryError:
    result = "caught"
