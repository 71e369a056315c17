package schematic

import (
	_ "embed"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// DataVersion is that of the newest Java game whose blocks are known, 26.2.
const DataVersion = 4903

// oldestExport is the DataVersion that exports say at least, 1.21.1: games after it
// took no block away and gave none another form.
const oldestExport = 3955

//go:embed since.txt
var sinceTable string

// exportVersion returns the DataVersion of the oldest Java release that has all of
// the states, so that tools which do not know the newest game read what they can.
func exportVersion(states []string) (int, error) {
	since := map[string]int{}
	for line := range strings.Lines(sinceTable) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		version, err := strconv.Atoi(words[0])
		if err != nil {
			return 0, fmt.Errorf("the table of versions is broken: %w", err)
		}
		for _, name := range words[1:] {
			since["minecraft:"+name] = version
		}
	}
	version := oldestExport
	for _, state := range states {
		id, _ := split(state)
		version = max(version, since[id])
	}
	return version, nil
}

// releases are the DataVersions of Java's releases, from npm minecraft-data 3.119.0
// (MIT), pc/common/protocolVersions.json.
var releases = []struct {
	data int
	name string
}{
	{169, "1.9"},
	{175, "1.9.1"},
	{176, "1.9.2"},
	{183, "1.9.3"},
	{184, "1.9.4"},
	{510, "1.10"},
	{511, "1.10.1"},
	{512, "1.10.2"},
	{819, "1.11"},
	{921, "1.11.1"},
	{922, "1.11.2"},
	{1139, "1.12"},
	{1241, "1.12.1"},
	{1343, "1.12.2"},
	{1519, "1.13"},
	{1628, "1.13.1"},
	{1631, "1.13.2"},
	{1952, "1.14"},
	{1957, "1.14.1"},
	{1963, "1.14.2"},
	{1968, "1.14.3"},
	{1976, "1.14.4"},
	{2225, "1.15"},
	{2227, "1.15.1"},
	{2230, "1.15.2"},
	{2566, "1.16"},
	{2567, "1.16.1"},
	{2578, "1.16.2"},
	{2580, "1.16.3"},
	{2584, "1.16.4"},
	{2586, "1.16.5"},
	{2724, "1.17"},
	{2730, "1.17.1"},
	{2860, "1.18"},
	{2865, "1.18.1"},
	{2975, "1.18.2"},
	{3105, "1.19"},
	{3117, "1.19.1"},
	{3120, "1.19.2"},
	{3218, "1.19.3"},
	{3337, "1.19.4"},
	{3463, "1.20"},
	{3465, "1.20.1"},
	{3578, "1.20.2"},
	{3698, "1.20.3"},
	{3700, "1.20.4"},
	{3837, "1.20.5"},
	{3839, "1.20.6"},
	{3953, "1.21"},
	{3955, "1.21.1"},
	{4080, "1.21.2"},
	{4082, "1.21.3"},
	{4189, "1.21.4"},
	{4325, "1.21.5"},
	{4435, "1.21.6"},
	{4438, "1.21.7"},
	{4440, "1.21.8"},
	{4554, "1.21.9"},
	{4556, "1.21.10"},
	{4671, "1.21.11"},
	{4786, "26.1"},
	{4788, "26.1.1"},
	{4790, "26.1.2"},
	{4903, "26.2"},
	{5023, "26.3"},
}

// gameVersion returns the name of the release with a DataVersion, or of the last
// one before it with a plus sign; "" for one before 1.9.
func gameVersion(data int) string {
	i := sort.Search(len(releases), func(i int) bool { return releases[i].data > data })
	if i == 0 {
		return ""
	}
	if releases[i-1].data == data {
		return releases[i-1].name
	}
	return releases[i-1].name + "+"
}
