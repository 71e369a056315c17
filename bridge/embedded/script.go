package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
)

// bundle turns the ES modules under entry into one CommonJS program, which is
// what the engine can load. The game's own modules stay calls of require.
func bundle(files fs.FS, entry string) (*goja.Program, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry},
		Bundle:      true,
		Format:      api.FormatCommonJS,
		Target:      api.ES2022,
		External:    []string{"@minecraft/*"},
		Plugins:     []api.Plugin{packPlugin(files)},
	})
	if len(result.Errors) > 0 {
		return nil, buildError(result.Errors)
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("bundle %s: %d files came out", entry, len(result.OutputFiles))
	}
	return goja.Compile(entry, "(function(require, module, exports, console) {"+string(result.OutputFiles[0].Contents)+"\n})", true)
}

func buildError(messages []api.Message) error {
	var all []error
	for _, m := range messages {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		all = append(all, errors.New(at+m.Text))
	}
	return errors.Join(all...)
}

// packPlugin lets esbuild read the pack where it is, in memory.
func packPlugin(files fs.FS) api.Plugin {
	return api.Plugin{Name: "pack", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if strings.HasPrefix(args.Path, "@minecraft/") {
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			}
			name := args.Path
			if args.Kind != api.ResolveEntryPoint {
				name = path.Join(path.Dir(args.Importer), args.Path)
			}
			return api.OnResolveResult{Path: name, Namespace: "pack"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "pack"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := fs.ReadFile(files, args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text := string(data)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}
