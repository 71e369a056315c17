package rpc

import (
	"context"
	"errors"

	"groundplan/plan/block"
	"groundplan/plan/fault"
)

// CatalogView sums up the catalog of materials in project_context.
type CatalogView struct {
	Version   string `json:"version"`
	Materials int    `json:"materials"`
	Blocks    int    `json:"blocks"`
	Items     int    `json:"items"`
	Default   int    `json:"search_default_limit"`
	Most      int    `json:"search_max_limit"`
}

// catalogView counts the catalog of the connected game, once for each registry.
func (s *Service) catalogView() CatalogView {
	registry := s.Registry()
	s.catalogMu.Lock()
	defer s.catalogMu.Unlock()
	if s.catalogOf == registry {
		return s.catalog
	}
	total := func(kind string) (int, string) {
		found, err := registry.Search(block.Query{Kind: kind, Limit: 1})
		if err != nil {
			return 0, "" // an empty query is never malformed
		}
		return found.Total, found.Version
	}
	v := CatalogView{Default: 16, Most: 32}
	v.Materials, v.Version = total("all")
	v.Blocks, _ = total("block")
	v.Items, _ = total("item")
	s.catalogOf, s.catalog = registry, v
	return v
}

type searchParams struct {
	Scope
	Query  string `json:"query,omitempty" jsonschema:"words of ids, colours, shapes, kinds and classes that must all fit; at most 96 characters" check:"max=4096"`
	Kind   string `json:"kind,omitempty" jsonschema:"block, item or all" check:"default=block"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"1 to 32" check:"default=16"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before; at most 100 characters" check:"max=4096"`
}

func (s *Service) materialSearch(_ context.Context, _ Caller, p searchParams) (block.Found, error) {
	query := block.Query{Text: p.Query, Kind: p.Kind, Cursor: p.Cursor}
	if p.Limit != nil {
		if query.Limit = *p.Limit; query.Limit == 0 {
			query.Limit = -1 // zero is the default only when it is left out
		}
	}
	found, err := s.Registry().Search(query)
	return found, materialError(err)
}

type describeParams struct {
	Scope
	ID string `json:"id" jsonschema:"such as minecraft:oak_stairs; the namespace may be left out" check:"min=1"`
}

func (s *Service) materialDescribe(_ context.Context, _ Caller, p describeParams) (block.Description, error) {
	d, err := s.Registry().Describe(p.ID)
	return d, materialError(err)
}

// materialError gives an error of the registry the code that the protocol has for
// it: that of its reason, or invalid_material for an id that is none.
func materialError(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	code := fault.InvalidMaterial
	if reason, ok := e.Details["reason"].(string); ok {
		code = fault.Code(reason)
	}
	return &fault.Error{Code: code, Msg: e.Msg, Details: e.Details, Err: e.Err}
}
