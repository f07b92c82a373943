# expect: output "hi"
def main(text="hi"):
    return servers.hostile.echo(text=text)
