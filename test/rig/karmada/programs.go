//go:build rig

// Package rig pins karmadactl, the command line of Karmada.
package rig

import _ "github.com/karmada-io/karmada/cmd/karmadactl"
