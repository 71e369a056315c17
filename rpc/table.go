package rpc

import "groundplan/plan/fault"

// worldErrors are the codes of every method that reads the world, and more.
func worldErrors(more ...fault.Code) []fault.Code {
	return append([]fault.Code{
		fault.WorldUnavailable, fault.VersionMismatch, fault.UnsupportedCapability, fault.ChunkNotLoaded, fault.Timeout,
	}, more...)
}

// planErrors are the codes of every method that makes a plan of cells.
func planErrors(more ...fault.Code) []fault.Code {
	return append(worldErrors(
		fault.OutOfBounds, fault.BudgetExceeded, fault.UnsupportedBlock, fault.UnsupportedBlockEntity, fault.NotFound, fault.StorageFailed,
	), more...)
}

func codes(list ...fault.Code) []fault.Code { return list }

// What the examples of the table call things.
const (
	exampleID     = "6f1c2f0e-8c55-4d0b-9a51-0f6d5f3a7c11"
	exampleDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	exampleRuling = `{"operation_id":"` + exampleID + `","expected_digest":"` + exampleDigest + `","reason":"power cut; the tower is fine"}`
	exampleOp     = `{"operation_id":"` + exampleID + `"}`
	examplePart   = `{"part_id":"` + exampleID + `"}`
)

// Methods returns the table, in the order of the protocol page.
func Methods() []Method {
	var all []Method
	for _, group := range [][]Method{
		readMethods(), materialMethods(), planMethods(), operationMethods(), partMethods(), assetMethods(), recoveryMethods(), adminMethods(),
	} {
		all = append(all, group...)
	}
	return all
}

func readMethods() []Method {
	return []Method{
		define(Method{
			Name: "project_context", Role: Agent, Idempotent: true, Example: `{}`,
			Doc: "What an agent must know first: the project's region and limits, which world is connected, parts, the newest operations, and whether new writes may begin.",
		}, (*Service).projectContext),
		define(Method{
			Name: "region_inspect", Role: Agent, Idempotent: true, Heavy: true,
			Example: `{"min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2},"detail":"summary"}`,
			Errors:  worldErrors(fault.OutOfBounds, fault.BudgetExceeded, fault.UnsupportedBlock),
			Doc:     "Reads an inclusive box of loaded chunks: counts per state, every cell, text layers, heights, or where a block is. Nothing is generated or loaded.",
		}, (*Service).regionInspect),
		define(Method{
			Name: "region_changes", Role: Agent, Idempotent: true, Example: `{}`,
			Errors: codes(fault.WorldUnavailable, fault.VersionMismatch, fault.ResyncRequired),
			Doc:    "What changed the region since a cursor: our own writes, and edits by others that the addon saw. Where the game forgot edits before they were asked for, a change of the kind gap says since when they may be missing; resync_required comes only when the feed itself is lost.",
		}, (*Service).regionChanges),
	}
}

func materialMethods() []Method {
	return []Method{
		define(Method{
			Name: "material_search", Role: Agent, Idempotent: true, Example: `{"query":"oak stairs","limit":4}`,
			Errors: codes(fault.InvalidMaterialQuery, fault.InvalidCursor, fault.StaleCursor),
			Doc:    "Searches the blocks of the connected game by words of their ids, page by page.",
		}, (*Service).materialSearch),
		define(Method{
			Name: "material_describe", Role: Agent, Idempotent: true, Example: `{"id":"minecraft:oak_stairs"}`,
			Errors: codes(fault.InvalidMaterial),
			Doc:    "A block's default state, the values of its properties, and what it may do after it is placed.",
		}, (*Service).materialDescribe),
	}
}

func planMethods() []Method {
	return []Method{
		define(Method{
			Name: "build_prepare", Role: Agent, Writes: true, Heavy: true, Errors: planErrors(fault.StaleSnapshot),
			Example: `{"recipe":{"version":1,"operations":[{"type":"box","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2},"block":"minecraft:stone_bricks","hollow":true}]}}`,
			Doc:     "Compiles a recipe, reads the cells it names, and stores an immutable plan of the differences. The world is not changed.",
		}, (*Service).buildPrepare),
	}
}

func operationMethods() []Method {
	return []Method{
		define(Method{
			Name: "build_apply", Role: Agent, Writes: true, Idempotent: true,
			Example: `{"plan_id":"` + exampleID + `","plan_hash":"` + exampleDigest + `","idempotency_key":"house-1"}`,
			Errors: codes(fault.NotFound, fault.IdempotencyMismatch, fault.RecoveryRequired, fault.StaleSnapshot, fault.PlanExpired, fault.VersionMismatch,
				fault.WorldUnavailable, fault.Busy, fault.StorageFailed),
			Doc: "Starts the execution of a plan. A repeated key gives the operation that it already has, in any state of the service; read operation_status until it is final.",
		}, (*Service).buildApply),
		define(Method{
			Name: "operation_status", Role: Agent, Idempotent: true, Example: exampleOp, Errors: codes(fault.NotFound),
			Doc: "Where an operation stands: its counters, how fast it is and how long it may still take, and the first conflicts. With wait_ms it answers at the next change.",
		}, (*Service).operationStatus),
		define(Method{
			Name: "operation_list", Role: Agent, Idempotent: true, Example: `{"status":"applied"}`, Errors: codes(fault.NotFound),
			Doc: "The project's operations, the newest first, page by page; all, or those of a status or a principal.",
		}, (*Service).operationList),
		define(Method{
			Name: "operation_cancel", Role: Agent, Writes: true, Idempotent: true, Example: exampleOp, Errors: codes(fault.NotFound, fault.StorageFailed),
			Doc: "Stops an operation between two commands and answers its status at that moment. What was written stays owned and can be undone.",
		}, (*Service).operationCancel),
		define(Method{
			Name: "operation_undo_prepare", Role: Agent, Writes: true, Heavy: true, Example: exampleOp,
			Errors: codes(fault.NotFound, fault.UndoConflict, fault.Busy, fault.RecoveryRequired, fault.WorldUnavailable, fault.Timeout,
				fault.UnsupportedCapability, fault.OutOfBounds, fault.UnsupportedBlockEntity, fault.StorageFailed),
			Doc: "Plans the way back for the cells that the operation wrote and still owns; apply that plan with build_apply.",
		}, (*Service).undoPrepare),
	}
}

func partMethods() []Method {
	change := codes(fault.NotFound, fault.StorageFailed)
	return []Method{
		define(Method{
			Name: "part_define", Role: Agent, Writes: true, Example: `{"name":"gatehouse","operation_id":"` + exampleID + `"}`,
			Errors: append(change, fault.Busy, fault.BudgetExceeded, fault.Conflict),
			Doc:    "Names the exact cells that an applied operation wrote. Parts do not overlap.",
		}, (*Service).partDefine),
		define(Method{
			Name: "part_get", Role: Agent, Idempotent: true, Example: examplePart, Errors: codes(fault.NotFound),
			Doc: "A part's name, bounds, size and protection. The bounds are not the mask.",
		}, (*Service).partGet),
		define(Method{
			Name: "part_list", Role: Agent, Idempotent: true, Example: `{}`,
			Doc: "The project's parts, page by page.",
		}, (*Service).partList),
		define(Method{
			Name: "part_delete", Role: Agent, Writes: true, Example: examplePart, Errors: change,
			Doc: "Forgets a part. The world is not changed; a protected part stays.",
		}, (*Service).partDelete),
		define(Method{
			Name: "part_protect", Role: Admin, Writes: true, Idempotent: true,
			Example: `{"part_id":"` + exampleID + `","protected":true}`, Errors: change,
			Doc: "Protects a part, or ends its protection. Plans that change a protected part may not start, and stop when they run.",
		}, (*Service).partProtect),
	}
}

func assetMethods() []Method {
	return []Method{
		define(Method{
			Name: "asset_list", Role: Agent, Idempotent: true, Heavy: true, Example: `{"query":"tower"}`, Errors: codes(fault.StorageFailed),
			Doc: "The schematics of the library whose name has the query in it. A file that cannot be read is listed with its error.",
		}, (*Service).assetList),
		define(Method{
			Name: "schematic_inspect", Role: Agent, Idempotent: true, Heavy: true, Example: `{"asset_id":"tower"}`,
			Errors: codes(fault.NotFound, fault.UnsupportedFormat, fault.BudgetExceeded, fault.StorageFailed),
			Doc:    "Says what an import would make of a file: the Bedrock state of each of its states and how true it is, and what is lost.",
		}, (*Service).assetInspect),
		define(Method{
			Name: "schematic_import_prepare", Role: Agent, Writes: true, Heavy: true,
			Example: `{"asset_id":"tower","target":{"x":10,"y":-60,"z":10},"rotation":90}`, Errors: planErrors(fault.UnsupportedFormat),
			Doc: "Plans the placing of a schematic, turned about the target. Its air is part of the plan and removes blocks, unless skip_air is set.",
		}, (*Service).importPrepare),
		define(Method{
			Name: "schematic_export", Role: Agent, Writes: true, Heavy: true,
			Example: `{"name":"My tower","min":{"x":0,"y":0,"z":0},"max":{"x":2,"y":2,"z":2}}`,
			Errors:  worldErrors(fault.OutOfBounds, fault.BudgetExceeded, fault.UnsupportedBlock, fault.UnsupportedBlockEntity, fault.UnsupportedEntity, fault.StorageFailed),
			Doc:     "Saves a region, air included, as a Sponge schematic or a Bedrock structure in the library. The answer is the asset; the file stays in the library.",
		}, (*Service).schematicExport),
		define(Method{
			Name: "asset_put", Role: Agent, Writes: true, Heavy: true, Example: `{"asset_id":"tower","offset":0,"data":"H4sIAAAAAAAA/w==","last":true}`,
			Errors: codes(fault.Conflict, fault.UnsupportedFormat, fault.BudgetExceeded, fault.StorageFailed),
			Doc:    "Brings a schematic file into the library, in chunks. With the last one the file is read and kept; one that is no schematic is refused.",
		}, (*Service).assetPut),
		define(Method{
			Name: "asset_get", Role: Agent, Idempotent: true, Heavy: true, Example: `{"asset_id":"tower"}`,
			Errors: codes(fault.NotFound, fault.UnsupportedFormat, fault.BudgetExceeded, fault.StorageFailed),
			Doc:    "A file of the library as it is, in chunks of at most 540,000 bytes.",
		}, (*Service).assetGet),
		define(Method{
			Name: "mapping_put", Role: Agent, Writes: true, Idempotent: true, Example: `{"name":"medieval","mapping":{"stone_bricks":"cobblestone"}}`,
			Errors: codes(fault.BudgetExceeded, fault.StorageFailed),
			Doc:    "Keeps a mapping of file states under a name, for schematic_inspect and schematic_import_prepare. The answer names all of them.",
		}, (*Service).mappingPut),
		define(Method{
			Name: "asset_delete", Role: Admin, Writes: true, Example: `{"asset_id":"tower"}`, Errors: codes(fault.NotFound, fault.StorageFailed),
			Doc: "Deletes a file of the library.",
		}, (*Service).assetDelete),
	}
}

func recoveryMethods() []Method {
	decide := worldErrors(fault.NotFound, fault.StorageFailed)
	return []Method{
		define(Method{
			Name: "recovery_list", Role: Admin, Idempotent: true, Example: `{}`,
			Doc: "The operations that an admin must decide about before new writes may begin.",
		}, (*Service).recoveryList),
		define(Method{
			Name: "recovery_review", Role: Admin, Idempotent: true, Heavy: true, Example: exampleOp, Errors: worldErrors(fault.NotFound),
			Doc: "Reads every cell that an unfinished operation wrote or may have written, and counts those as before, as after, and neither. currentDigest goes into the decision.",
		}, (*Service).recoveryReview),
		define(Method{
			Name: "recovery_abandon", Role: Admin, Writes: true, Heavy: true, Example: exampleRuling, Errors: decide,
			Doc: "Leaves every block as it is, ends the operation as failed, and gives up its undo for ever. Refused when the cells changed since the review.",
		}, (*Service).recoveryAbandon),
		define(Method{
			Name: "recovery_resume", Role: Admin, Writes: true, Heavy: true, Example: exampleRuling, Errors: append(decide, fault.Conflict),
			Doc: "Lets the operation go on. Refused while any of its cells is neither as before nor as after.",
		}, (*Service).recoveryResume),
		define(Method{
			Name: "recovery_rollback", Role: Admin, Writes: true, Heavy: true, Example: exampleRuling, Errors: append(decide, fault.Conflict),
			Doc: "Ends the operation and writes its cells back to before, as an operation of its own. Refused while any cell is neither as before nor as after.",
		}, (*Service).recoveryRollback),
		define(Method{
			Name: "recovery_verify", Role: Admin, Idempotent: true, Heavy: true, Example: `{}`,
			Errors: codes(fault.NotFound, fault.WorldUnavailable, fault.Timeout, fault.UnsupportedCapability),
			Doc:    "Compares what finished operations wrote and still own with the world: what the game lost when it stopped before it had saved. Changes nothing.",
		}, (*Service).recoveryVerify),
		define(Method{
			Name: "recovery_repair_prepare", Role: Admin, Writes: true, Heavy: true, Example: `{"operation_ids":["` + exampleID + `"]}`,
			Errors: codes(fault.NotFound, fault.WorldUnavailable, fault.Timeout, fault.UnsupportedCapability, fault.BudgetExceeded, fault.StorageFailed),
			Doc:    "Plans to write again what the world lost of finished operations; cells that are somebody else's stay as they are. Apply the plan with build_apply.",
		}, (*Service).recoveryRepair),
		define(Method{
			Name: "recovery_log", Role: Admin, Idempotent: true, Example: `{}`,
			Doc: "Every decision that was made: who, when, why, and on which digest.",
		}, (*Service).recoveryLog),
	}
}

func adminMethods() []Method {
	const project = `{"project":{"project_id":"castle","dimension":"overworld","region":{"min":{"x":0,"y":-64,"z":0},"max":{"x":99,"y":99,"z":99}},` +
		`"allow_local_automation":true,"policy":{},"limits":{"max_plan_blocks":1048576,"slice_cells":32768,"inspect_cells":4096,"max_dependencies":4096,` +
		`"max_parts":4096,"max_assets":4096,"asset_cells":16777216,"asset_bytes":33554432,"asset_inflated":536870912,"plan_ttl_seconds":600}}}`
	return []Method{
		define(Method{
			Name: "project_list", Role: Admin, Idempotent: true, Example: `{}`,
			Doc: "Every project with its owner, region, policy and limits.",
		}, (*Service).projectList),
		define(Method{
			Name: "project_put", Role: Admin, Writes: true, Idempotent: true, Example: project, Errors: codes(fault.StorageFailed),
			Doc: "Adds a project, or replaces the one with its id. Running operations are checked against it at their next slice.",
		}, (*Service).projectPut),
		define(Method{
			Name: "project_delete", Role: Admin, Writes: true, Example: `{"id":"castle"}`, Errors: codes(fault.NotFound, fault.StorageFailed),
			Doc: "Removes a project. Its plans and operations stay in the journal; the world is not changed.",
		}, (*Service).projectDelete),
		define(Method{
			Name: "doctor", Role: Admin, Idempotent: true, Heavy: true, Example: `{}`,
			Doc: "Looks at the journal, the gate and the connection to the game, and says what to do.",
		}, (*Service).doctor),
		define(Method{
			Name: "world_edit", Role: Admin, Writes: true, Heavy: true, Example: `{"pos":{"x":0,"y":0,"z":0},"block":"granite"}`,
			Errors: codes(fault.WorldUnavailable, fault.VersionMismatch, fault.UnsupportedCapability, fault.OutOfBounds, fault.UnsupportedBlock),
			Doc:    "Changes one cell of the embedded world as another player would, past every plan: to see what the service makes of it.",
		}, (*Service).worldEdit),
	}
}
