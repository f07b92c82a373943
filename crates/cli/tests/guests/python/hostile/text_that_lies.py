# expect: output "plain after all"
class Text(str):
    def encode(self, *arguments):
        raise ValueError("no text")
    def __len__(self):
        return -5
Text("plain after all")
