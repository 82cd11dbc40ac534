//go:build rig

// Package rig pins Helm, a client the hub must please unmodified.
package rig

import _ "helm.sh/helm/v4/cmd/helm"
