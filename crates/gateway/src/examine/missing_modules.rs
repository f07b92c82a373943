//! Finds the imports of a Python program that are sure to fail, before it runs.

use std::collections::BTreeSet;

use tidegate_model::{Import, RunError, did_you_mean};
use tidegate_wire::{Complaint, Fault};

use crate::explain::reported::complaint;

/// Characters of a line of the program in an error, as in `failure.py`.
const SHOWN: usize = 120;

/// Packages that would make connections of their own, as in `failure.py`.
const CLIENTS: [&str; 4] = ["aiohttp", "httpx", "requests", "urllib3"];

/// The imports that are sure to fail, worded as Python would report them later, perhaps
/// after calls had their effect.
pub(crate) fn missing_modules(
    imports: &[Import],
    modules: &BTreeSet<String>,
    source: &str,
) -> Vec<RunError> {
    let absent = imports.iter().filter(|one| one.is_sure && !modules.contains(&one.module));
    let problem = |import: &Import| {
        let Import { module, line, column, .. } = import;
        let written = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let written: String = written.trim().chars().take(SHOWN).collect();
        let message =
            format!("ModuleNotFoundError: No module named '{module}'\n  line {line}: {written}");
        let near = did_you_mean(module, modules.iter().map(String::as_str));
        let instead = match CLIENTS.contains(&module.as_str()) {
            true => "use `fetch(url)`, which needs no import; ",
            false => "",
        };
        let hint = format!(
            "{}{instead}only the standard library and `servers` can be imported; for `{module}` name a \
             virtual environment that has it in `python.packages`",
            near.map(|near| format!("{near} ")).unwrap_or_default()
        );
        // The names come from the reader.
        let error = complaint(&Complaint { fault: Fault::Threw, message, hint: Some(hint) });
        RunError { line: Some(*line), column: Some(*column), ..error }
    };
    absent.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tidegate_model::Import;

    use super::missing_modules;

    fn described(module: &str, is_sure: bool) -> Vec<String> {
        let modules: BTreeSet<String> = ["json", "os"].map(str::to_owned).into();
        let import = Import { module: module.to_owned(), line: 2, column: 1, is_sure };
        let source = format!("x = 1\nimport {module}\n");
        missing_modules(&[import], &modules, &source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_that_is_not_there_is_told_in_the_words_of_python() {
        assert_eq!(
            described("pandas", true),
            ["error[program.threw]: the program threw: ModuleNotFoundError: No module named \
              'pandas'\n  | line 2: import pandas\n  at line 2, column 1 of your program\nhint: the run suggests: only the standard library and \
              `servers` can be imported; for `pandas` name a virtual environment that has it in \
              `python.packages`"]
        );
        assert_eq!(
            described("jsn", true),
            ["error[program.threw]: the program threw: ModuleNotFoundError: No module named \
              'jsn'\n  | line 2: import jsn\n  at line 2, column 1 of your program\nhint: the run suggests: did you mean `json`? only the standard \
              library and `servers` can be imported; for `jsn` name a virtual environment that \
              has it in `python.packages`"]
        );
        assert_eq!(described("json", true), Vec::<String>::new());
        assert_eq!(described("pandas", false), Vec::<String>::new());
    }
}
