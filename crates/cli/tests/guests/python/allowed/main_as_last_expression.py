# expect: output "hi"
async def main():
    return await servers.hostile.echo(text="hi")

main()
