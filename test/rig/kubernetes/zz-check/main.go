package main

import (
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	b, _ := os.ReadFile("/tmp/q-in.json")
	var in, out []string
	json.Unmarshal(b, &in)
	for i, s := range in {
		q, err := resource.ParseQuantity(s)
		if err != nil {
			out = append(out, "ERR "+err.Error())
			continue
		}
		r := q.String()
		if i > 0 {
			if p, err := resource.ParseQuantity(in[i-1]); err == nil {
				sum := q.DeepCopy()
				sum.Add(p)
				sub := q.DeepCopy()
				sub.Sub(p)
				r += " " + sum.String() + " " + sub.String() + " " + string(rune('1'+q.Cmp(p)))
			}
		}
		out = append(out, r)
	}
	o, _ := json.Marshal(out)
	os.WriteFile("/tmp/q-out.json", o, 0o644)
}
