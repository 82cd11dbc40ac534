// Command oracle renders charts with Helm's own library: case by case, for tests that compare, or again and again, for benchmarks that measure.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

func main() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	bench := flag.String("bench", "", "packed chart to measure")
	values := flag.String("values", "", "file with one JSON object of values per line, for -bench")
	cold := flag.Int("cold", 0, "how many times to load and render anew, for -bench")
	flag.Parse()
	if *bench != "" {
		measure(*bench, *values, *cold)
		return
	}
	answer(os.Stdin, os.Stdout)
}

type question struct {
	Files  map[string]string `json:"files"`
	Values map[string]any    `json:"values"`
}

type reply struct {
	// Every rendered file by name.
	Files map[string]string `json:"files,omitempty"`
	Error string            `json:"error,omitempty"`
}

// One JSON object per line in, one per line out.
func answer(in io.Reader, out io.Writer) {
	lines := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				fail(err)
			}
			if err := encoder.Encode(render(q)); err != nil {
				fail(err)
			}
			writer.Flush()
		}
		if err != nil {
			return
		}
	}
}

func render(q question) (r reply) {
	defer func() {
		if fault := recover(); fault != nil {
			r = reply{Error: fmt.Sprintf("panic: %v", fault)}
		}
	}()
	var files []*archive.BufferedFile
	for name, text := range q.Files {
		files = append(files, &archive.BufferedFile{Name: name, Data: []byte(text)})
	}
	c, err := loader.LoadFiles(files)
	if err != nil {
		return reply{Error: err.Error()}
	}
	rendered, err := renderChart(c, q.Values)
	if err != nil {
		return reply{Error: err.Error()}
	}
	return reply{Files: rendered}
}

func renderChart(c *chart.Chart, values map[string]any) (map[string]string, error) {
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: "r", Namespace: "default", Revision: 1, IsInstall: true}
	top, err := util.ToRenderValues(c, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return new(engine.Engine).Render(c, top)
}

// The whole way from values to sorted manifests, as an installation goes it.
func manifests(c *chart.Chart, values map[string]any) (int, error) {
	files, err := renderChart(c, values)
	if err != nil {
		return 0, err
	}
	for name := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(files, name)
		}
	}
	hooks, sorted, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return 0, err
	}
	var text bytes.Buffer
	for _, m := range sorted {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", m.Name, m.Content)
	}
	size := text.Len()
	for _, h := range hooks {
		size += len(h.Manifest)
	}
	return size, nil
}

type measured struct {
	ColdMs float64 `json:"coldMs"`
	WarmMs float64 `json:"warmMs"`
	Bytes  int     `json:"bytes"`
}

func measure(file, valuesFile string, cold int) {
	packed, err := os.ReadFile(file)
	if err != nil {
		fail(err)
	}
	text, err := os.ReadFile(valuesFile)
	if err != nil {
		fail(err)
	}
	var all []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		all = append(all, line)
	}
	var result measured
	load := func() *chart.Chart {
		c, err := loader.LoadArchive(bytes.NewReader(packed))
		if err != nil {
			fail(fmt.Errorf("%s: %w", path.Base(file), err))
		}
		return c
	}
	run := func(c *chart.Chart, line string) {
		var values map[string]any
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			fail(err)
		}
		size, err := manifests(c, values)
		if err != nil {
			fail(fmt.Errorf("%s: %w", path.Base(file), err))
		}
		result.Bytes = size
	}
	var times []float64
	for i := range cold {
		began := cpuMs()
		run(load(), all[i%len(all)])
		times = append(times, cpuMs()-began)
	}
	if cold > 0 {
		slices.Sort(times)
		result.ColdMs = times[len(times)/2]
	}
	c := load()
	began := cpuMs()
	for _, line := range all {
		run(c, line)
	}
	result.WarmMs = (cpuMs() - began) / float64(len(all))
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

// Processor time of all threads so far.
func cpuMs() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		fail(err)
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e6
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
