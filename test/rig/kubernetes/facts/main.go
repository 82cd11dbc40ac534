// Command facts prints, as JSON, how Go declares the stable built-in kinds of Kubernetes: what its JSON and protobuf codecs do with
// every field. scripts/generate-facts.ts joins this with what a real server publishes.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type typeFact struct {
	Scalar  string    `json:"scalar,omitempty"`
	Struct  string    `json:"struct,omitempty"`
	List    *typeFact `json:"list,omitempty"`
	Map     *typeFact `json:"map,omitempty"`
	Go      string    `json:"go"`
	Pointer bool      `json:"pointer,omitempty"`
	// Message says that protobuf wraps the list into a message of its own.
	Message bool `json:"message,omitempty"`
}

type fieldFact struct {
	Name      string   `json:"name"`
	Type      typeFact `json:"type"`
	OmitEmpty bool     `json:"omitEmpty,omitempty"`
	OmitZero  bool     `json:"omitZero,omitempty"`
	Proto     []int    `json:"proto,omitempty"`
	Embedded  []string `json:"embedded,omitempty"`
}

type structFact struct {
	Go     string      `json:"go"`
	Fields []fieldFact `json:"fields"`
}

type kindFact struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Struct  string `json:"struct"`
}

var special = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():                            "quantity",
	reflect.TypeFor[metav1.Time]():                                  "time",
	reflect.TypeFor[metav1.MicroTime]():                             "microtime",
	reflect.TypeFor[metav1.Duration]():                              "duration",
	reflect.TypeFor[metav1.FieldsV1]():                              "fieldsV1",
	reflect.TypeFor[intstr.IntOrString]():                           "intOrString",
	reflect.TypeFor[runtime.RawExtension]():                         "raw",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "raw",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "schemaOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "schemaOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "schemaOrStrings",
}

var (
	structs = map[string]structFact{}
	stable  = regexp.MustCompile(`^v[0-9]+$`)
	marshal = reflect.TypeFor[json.Unmarshaler]()
)

func main() {
	s := scheme.Scheme
	must(apiextensionsv1.AddToScheme(s))
	must(apiregistrationv1.AddToScheme(s))
	must(admissionv1.AddToScheme(s))
	must(metav1.AddMetaToScheme(s))
	metav1.AddToGroupVersion(s, metav1.SchemeGroupVersion)

	var kinds []kindFact
	for gvk, t := range s.AllKnownTypes() {
		isMeta := t.PkgPath() == reflect.TypeFor[metav1.ObjectMeta]().PkgPath()
		if !stable.MatchString(gvk.Version) || isMeta && gvk.Group != "meta.k8s.io" && gvk.Group != "" {
			continue
		}
		kinds = append(kinds, kindFact{gvk.Group, gvk.Version, gvk.Kind, describeStruct(t)})
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return a.Group+"/"+a.Version+"/"+a.Kind < b.Group+"/"+b.Version+"/"+b.Kind
	})
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"kinds": kinds, "structs": structs}))
}

func describeStruct(t reflect.Type) string {
	name := modelName(t)
	if _, known := structs[name]; known {
		return name
	}
	structs[name] = structFact{}
	fact := structFact{Go: t.String(), Fields: []fieldFact{}}
	addFields(&fact, t, nil, nil, true)
	structs[name] = fact
	return name
}

func addFields(fact *structFact, t reflect.Type, proto []int, embedded []string, reachable bool) {
	for f := range t.Fields() {
		tag, hasTag := f.Tag.Lookup("json")
		if tag == "-" || !f.IsExported() {
			continue
		}
		parts := strings.Split(tag, ",")
		number, inProto := protoNumber(f)
		path := proto
		if inProto {
			path = append(append([]int{}, proto...), number)
		}
		if f.Anonymous && parts[0] == "" {
			addFields(fact, f.Type, path, append(append([]string{}, embedded...), f.Name), reachable && inProto)
			continue
		}
		if !hasTag || parts[0] == "" {
			panic(fmt.Sprintf("%s.%s has no JSON name", t, f.Name))
		}
		if !inProto || !reachable {
			path = nil
		}
		fact.Fields = append(fact.Fields, fieldFact{
			Name:      parts[0],
			Type:      describe(f.Type),
			OmitEmpty: contains(parts[1:], "omitempty"),
			OmitZero:  contains(parts[1:], "omitzero"),
			Proto:     path,
			Embedded:  embedded,
		})
	}
}

func describe(t reflect.Type) typeFact {
	if t.Kind() == reflect.Pointer {
		fact := describe(t.Elem())
		fact.Pointer = true
		return fact
	}
	if name, ok := special[t]; ok {
		return typeFact{Scalar: name, Go: t.String()}
	}
	if t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(marshal) {
		panic(fmt.Sprintf("%s decodes itself in a way this program does not know", t))
	}
	switch t.Kind() {
	case reflect.Struct:
		return typeFact{Struct: describeStruct(t), Go: t.String()}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return typeFact{Scalar: "bytes", Go: t.String()}
		}
		element := describe(t.Elem())
		_, isMessage := reflect.New(t).Interface().(interface{ Unmarshal([]byte) error })
		return typeFact{List: &element, Go: t.String(), Message: isMessage}
	case reflect.Map:
		element := describe(t.Elem())
		return typeFact{Map: &element, Go: t.String()}
	case reflect.Bool, reflect.String, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return typeFact{Scalar: t.Kind().String(), Go: t.String()}
	case reflect.Interface:
		return typeFact{Scalar: "raw", Go: t.String()}
	case reflect.Int:
		return typeFact{Scalar: "int64", Go: t.String()}
	}
	panic(fmt.Sprintf("%s is of a kind this program does not know", t))
}

func protoNumber(f reflect.StructField) (int, bool) {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(parts[1])
	must(err)
	return n, true
}

func modelName(t reflect.Type) string {
	if namer, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return namer.OpenAPIModelName()
	}
	host, rest, _ := strings.Cut(t.PkgPath(), "/")
	parts := strings.Split(host, ".")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(append(parts, append(strings.Split(rest, "/"), t.Name())...), ".")
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
