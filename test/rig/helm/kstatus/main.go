// Reads a JSON list of objects and writes how kstatus, which Helm waits by, judges each of them.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type answer struct {
	Health  string `json:"health"`
	Message string `json:"message"`
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var objects []json.RawMessage
	if err := json.Unmarshal(text, &objects); err != nil {
		log.Fatal(err)
	}
	answers := []answer{}
	for _, one := range objects {
		obj := &unstructured.Unstructured{}
		if err := obj.UnmarshalJSON(one); err != nil {
			log.Fatal(err)
		}
		result, err := status.Compute(obj)
		if err != nil {
			answers = append(answers, answer{Health: string(status.UnknownStatus), Message: err.Error()})
			continue
		}
		answers = append(answers, answer{Health: string(result.Status), Message: result.Message})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
