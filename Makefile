TOOL  := go tool -modfile=tools.mod
STRIDE ?= 1
ROUNDS ?= 200
SEED  ?= 1
TIME  ?= 30s
BENCH ?= .
PKG   ?= ./...

.PHONY: all fmt lint test race fuzz sim kill addon generate corpus bench ci
all: fmt lint test
fmt:      ; $(TOOL) golangci-lint fmt
lint:     ; ./.ci/run lint
test:     ; go test ./...
race:     ; ./.ci/run race
sim:      ; go test ./recovery -run TestSweep -stride=$(STRIDE) -v
kill:     ; go test ./cmd/groundplan/e2e -count=1 -timeout=0 -run TestKills -rounds=$(ROUNDS) -seed=$(SEED) -v
fuzz:     ; ./.ci/fuzz $(TIME)
addon:    ; ./.ci/run addon
generate: ; go generate ./... && git diff --exit-code
corpus:   ; go test ./cmd/groundplan/e2e -count=1 -v -run TestCorpusFiles -corpus -timeout 4h
bench:    ; go test -run='^$$' -bench='$(BENCH)' -benchmem $(PKG)
ci:       ; ./.ci/run
