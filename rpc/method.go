package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"groundplan/plan"
	"groundplan/plan/fault"
	"groundplan/plan/strict"
)

// Method is one row of the table from which the RPC, the command line, the MCP
// tools and the protocol page are made.
type Method struct {
	Name string
	// Doc says what the method does and what it costs, in a sentence or two.
	Doc string
	// Role is who may call it: Agent means every token.
	Role Role
	// Writes says that a call leaves something behind: a plan, an operation, a
	// part, a file. Only build_apply and what recovery decides reach the world.
	Writes bool
	// Idempotent says that repeating a call changes nothing more.
	Idempotent bool
	// Heavy calls read the world or compile plans; few run at once.
	Heavy bool
	// Errors are the codes it gives beside those of every method ([CommonErrors]).
	Errors []fault.Code
	// Example is the parameters of a call, as JSON.
	Example string
	// Params and Result are the schemas of the two types.
	Params, Result *jsonschema.Schema

	run func(ctx context.Context, s *Service, by Caller, params []byte) (any, error)
}

// Scope is in the parameters of every method: whose project, and for whom.
type Scope struct {
	Project string `json:"project_id,omitempty" jsonschema:"the project" check:"max=64,default=default"`
	Player  string `json:"player_id,omitempty" jsonschema:"the principal; must be the one that the token speaks for" check:"max=128"`
}

// Caller is who calls, once token, project and principal are checked.
type Caller struct {
	Project   plan.Project
	Principal string
	Role      Role

	handle World
}

// CommonErrors are the codes that every method may give.
func CommonErrors() []fault.Code {
	return []fault.Code{
		fault.InvalidRequest, fault.PermissionDenied, fault.RequestTooLarge, fault.TooManyRequests, fault.Cancelled, fault.Internal,
	}
}

// define fills a row of the table from the types of its function. A type without
// a schema is a bug of this package, so it panics.
func define[P, R any](m Method, run func(*Service, context.Context, Caller, P) (R, error)) Method {
	var err error
	if m.Params, err = schemaOf(reflect.TypeFor[P]()); err != nil {
		panic(fmt.Sprintf("rpc: parameters of %s: %v", m.Name, err))
	}
	if m.Result, err = schemaOf(reflect.TypeFor[R]()); err != nil {
		panic(fmt.Sprintf("rpc: result of %s: %v", m.Name, err))
	}
	m.run = func(ctx context.Context, s *Service, by Caller, raw []byte) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fault.Errorf(fault.InvalidRequest, "params: %w", err)
		}
		return run(s, ctx, by, p)
	}
	return m
}

// MayGive reports whether the table says that the method gives the code.
func (m Method) MayGive(code fault.Code) bool {
	return slices.Contains(m.Errors, code) || slices.Contains(CommonErrors(), code)
}

// Call runs a method for whom the identity speaks. It is the one way in: HTTP,
// MCP and the tests use it. Params may be empty.
func (s *Service) Call(ctx context.Context, id Identity, method string, params []byte) (any, error) {
	m, ok := s.methods[method]
	if !ok {
		return nil, fault.Errorf(fault.UnsupportedMethod, "no method %q in this service", short(method))
	}
	if m.Role == Admin && id.Role != Admin {
		return nil, fault.Errorf(fault.PermissionDenied, "%s needs the admin token", m.Name)
	}
	if len(bytes.TrimSpace(params)) == 0 {
		params = []byte("{}")
	}
	parsed, err := strict.Parse(params)
	if err != nil {
		return nil, err
	}
	if err := conform(m.Params, parsed); err != nil {
		return nil, err
	}
	var sc Scope
	if err := json.Unmarshal(params, &sc); err != nil {
		return nil, fault.Errorf(fault.InvalidRequest, "params: %w", err)
	}
	by, err := s.authorize(id, sc)
	if err != nil {
		return nil, err
	}
	release, err := s.lanes.enter(ctx, m.Heavy)
	if err != nil {
		return nil, err
	}
	defer release()
	return m.run(ctx, s, by, params)
}

// authorize checks project and principal of a call (Tokens says for whom a token
// speaks). Every call passes here, and a running operation is checked again by
// the Runner before each slice.
func (s *Service) authorize(id Identity, sc Scope) (Caller, error) {
	name := sc.Project
	if name == "" {
		name = DefaultProject
	}
	project, ok := s.Projects.Get(name)
	if !ok {
		return Caller{}, fault.Errorf(fault.PermissionDenied, "Unknown project scope")
	}
	principal, err := principalOf(project, id, sc.Player)
	return Caller{Project: project, Principal: principal, Role: id.Role, handle: s.World()}, err
}

// ProjectOf returns the project that a token speaks for, when it may use it.
func (s *Service) ProjectOf(id Identity) (plan.Project, error) {
	by, err := s.authorize(id, Scope{})
	return by.Project, err
}

// Console is the principal of local automation: scripts and the command line.
const Console = "console"

// adminPrincipal is whom the admin token speaks for when it names nobody.
const adminPrincipal = "admin"

// principalOf returns for whom a call with the given player id acts.
func principalOf(p plan.Project, id Identity, player string) (string, error) {
	refuse := func(format string, args ...any) (string, error) {
		return "", fault.Errorf(fault.PermissionDenied, format, args...)
	}
	if id.Player != "" {
		if player != "" && player != id.Player {
			return refuse("The token speaks for another player than player_id")
		}
		player = id.Player
	}
	if player == "" {
		switch {
		case p.Automation:
			player = Console
		case id.Role == Admin:
			return adminPrincipal, nil
		default:
			player = p.Owner
		}
	}
	switch {
	case player == "":
		return refuse("Project %s has no owner yet; an admin binds one", p.ID)
	case player == Console && p.Automation:
		return player, nil
	case player == p.Owner:
		return player, nil
	case slices.Contains(p.Members, player) && (id.Player != "" || id.Role == Admin):
		return player, nil
	}
	return refuse("The player is neither owner nor member of project %s", p.ID)
}
