package main

import (
	"fmt"
	"slices"
	"time"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/rpc"
)

// recoveryCommand is what an admin does about operations that a crash left
// unfinished.
type recoveryCommand struct {
	JSON    bool   `help:"Print the answer of the service as JSON." name:"json"`
	Project string `help:"The project." default:"default"`

	List     recoveryList   `cmd:"" help:"List the operations that wait for a decision."`
	Review   recoveryReview `cmd:"" help:"Compare what an operation wrote or may have written with the world."`
	Abandon  recoveryRuling `cmd:"" help:"Leave the world as it is, give up the operation and its undo."`
	Resume   recoveryRuling `cmd:"" help:"Let the operation go on; refused while any of its cells is foreign."`
	Rollback recoveryRuling `cmd:"" help:"Write the operation's cells back to before; refused while any is foreign."`
	Verify   recoveryVerify `cmd:"" help:"Compare what finished operations wrote with the world: what a crash of the game lost."`
	Log      recoveryLog    `cmd:"" help:"List the decisions that were made."`
}

// params returns the parameters that every method takes.
func (all *recoveryCommand) params() map[string]any { return map[string]any{"project_id": all.Project} }

type recoveryList struct{}

// Run lists the operations.
func (recoveryList) Run(p *program, all *recoveryCommand) error {
	var v rpc.ListView
	return p.ask("recovery_list", all.params(), &v, all.JSON, func() {
		switch {
		case v.Gate == "open":
			fmt.Fprintln(p.out, "Nothing waits for a decision; new writes may begin.")
		case len(v.Operations) == 0:
			fmt.Fprintln(p.out, "Operations of another project wait for a decision, and no new write begins: see groundplan project list, and ask with --project.")
		}
		for _, op := range v.Operations {
			p.print("%s  plan %s  by %s  %d of %d cells confirmed  since %s", op.ID, op.PlanID, op.By, op.Written, op.Total, moment(op.CreatedAt))
		}
	})
}

type recoveryReview struct {
	Operation string `arg:"" help:"Operation id."`
	Cells     bool   `help:"List the cells."`
}

// Run shows a review, with all pages of its cells if they are asked for.
func (c *recoveryReview) Run(p *program, all *recoveryCommand) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	params := all.params()
	params["operation_id"] = c.Operation
	if c.Cells {
		params["detail"] = "cells"
	}
	var v rpc.ReviewView
	for next := 0; next > 0 || v.Operation == ""; {
		params["from"] = next
		var page rpc.ReviewView
		if err := service.call(p.ctx(), "recovery_review", params, &page); err != nil {
			return err
		}
		if v.Digest != "" && v.Digest != page.Digest {
			return fault.Errorf(fault.Conflict, "the cells changed while they were listed; review again")
		}
		next = page.Next
		page.Cells, page.Next = append(v.Cells, page.Cells...), 0
		v = page
	}
	if all.JSON {
		fmt.Fprintln(p.out, encode(v))
		return nil
	}
	p.print("%d cells were written or may have been: %d are as planned, %d as before, %d neither.",
		v.Positions, v.After, v.Before, v.Foreign)
	for _, cell := range v.Cells {
		p.print("%v  %s  before %s  after %s  now %s", cell.Pos, cell.Face, cell.Before, cell.After, cell.Current)
	}
	fmt.Fprintln(p.out, "digest "+v.Digest)
	return nil
}

type recoveryRuling struct {
	Operation string `arg:"" help:"Operation id."`
	Digest    string `help:"Digest of the review that you decide on." required:""`
	Reason    string `help:"Why; kept with the decision."`
}

// Run makes the decision that the command's name says.
func (c *recoveryRuling) Run(p *program, all *recoveryCommand) error {
	params := all.params()
	params["operation_id"], params["expected_digest"], params["reason"] = c.Operation, c.Digest, c.Reason
	if p.command == "rollback" {
		var v rpc.RollbackView
		return p.ask("recovery_rollback", params, &v, all.JSON, func() {
			p.print("%s is %s; operation %s writes its cells back.", v.Operation.ID, v.Operation.Status, v.Undo.ID)
		})
	}
	var op plan.Operation
	return p.ask("recovery_"+p.command, params, &op, all.JSON, func() {
		p.print("%s is %s: %s", op.ID, op.Status, op.Message)
	})
}

type recoveryVerify struct {
	Operations []string `arg:"" help:"Operation ids; without them the newest." optional:""`
	Repair     bool     `help:"Plan to write again what was lost, and say how to apply the plan."`
}

// Run shows what the world lost, or plans its repair.
func (c *recoveryVerify) Run(p *program, all *recoveryCommand) error {
	params := all.params()
	if len(c.Operations) > 0 {
		params["operation_ids"] = c.Operations
	}
	if c.Repair {
		return c.repair(p, all, params)
	}
	var v rpc.VerifyView
	return p.ask("recovery_verify", params, &v, all.JSON, func() {
		for _, r := range v.Operations {
			p.print("%s  %d cells owned: %d present, %d lost, %d foreign, %d unloaded", r.Operation, r.Owned, r.Present, r.Lost, r.Foreign, r.Unloaded)
		}
		p.print("%d cells were lost.", v.Lost)
	})
}

// repair plans to write again what the operations lost, of those named or of all
// that verify finds.
func (c *recoveryVerify) repair(p *program, all *recoveryCommand, params map[string]any) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	if len(c.Operations) == 0 {
		var v rpc.VerifyView
		if err := service.call(p.ctx(), "recovery_verify", params, &v); err != nil {
			return err
		}
		lost := []string{}
		for _, r := range v.Operations {
			if r.Lost > 0 {
				lost = append(lost, r.Operation)
			}
		}
		if len(lost) == 0 {
			return fault.Errorf(fault.NotFound, "nothing is lost, so there is nothing to repair")
		}
		slices.Reverse(lost) // what was written last wins
		params["operation_ids"] = lost
	}
	var v rpc.PlanView
	return p.ask("recovery_repair_prepare", params, &v, all.JSON, func() {
		p.print("%d cells would be written again; apply with: groundplan rpc build_apply '%s'", v.Changed, encode(map[string]string{
			"project_id": all.Project, "plan_id": v.ID, "plan_hash": v.Hash, "idempotency_key": "repair-" + v.ID,
		}))
	})
}

type recoveryLog struct{}

// Run lists the decisions.
func (recoveryLog) Run(p *program, all *recoveryCommand) error {
	var v rpc.LogView
	return p.ask("recovery_log", all.params(), &v, all.JSON, func() {
		for _, d := range v.Decisions {
			p.print("%s  %s  %s  by %s  %s", moment(d.At), d.Verdict, d.Operation, d.By, d.Reason)
		}
	})
}

// moment shows milliseconds since 1970.
func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// ask calls a method of the running service and shows its answer: as JSON, or for
// people by show.
func (p *program) ask(method string, params, result any, asJSON bool, show func()) error {
	service, err := dial(p.data)
	if err != nil {
		return err
	}
	if err := service.call(p.ctx(), method, params, result); err != nil {
		return err
	}
	if asJSON {
		fmt.Fprintln(p.out, encode(result))
		return nil
	}
	show()
	return nil
}
