//! Runs every recipe in `examples/`, each with its own assertions, as a test of its name.

use std::collections::BTreeSet;
use std::path::Path;

#[path = "../../examples/bounded_loads.rs"]
mod bounded_loads;
#[path = "../../examples/cache_client.rs"]
mod cache_client;
#[path = "../../examples/drain_node.rs"]
mod drain_node;
#[path = "../../examples/hot_key.rs"]
mod hot_key;
#[path = "../../examples/rollout_vnodes.rs"]
mod rollout_vnodes;
#[path = "../../examples/sharded_store.rs"]
mod sharded_store;
#[path = "../../examples/skip_down_node.rs"]
mod skip_down_node;
#[path = "../../examples/weight_steps.rs"]
mod weight_steps;
#[path = "../../examples/zone_aware.rs"]
mod zone_aware;

#[test]
fn every_recipe_in_the_folder_runs_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let recipes: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the examples are beside the tests")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let here: BTreeSet<String> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(recipes, here);
}
