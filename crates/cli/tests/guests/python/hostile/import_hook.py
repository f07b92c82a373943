# expect: output "imported nothing"
import sys, types
class Hook:
    def find_spec(self, name, path=None, target=None):
        raise RuntimeError("nothing can be imported any more")
sys.meta_path.insert(0, Hook())
sys.path_hooks.clear()
sys.path_importer_cache.clear()
"imported nothing"
