{{- define "drover.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "drover.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 57 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "drover.name" . -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $whole | trunc 57 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "drover.selector" -}}
app.kubernetes.io/name: {{ include "drover.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "drover.labels" -}}
{{ include "drover.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: drover
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "drover.image" -}}
{{- with .Values.image -}}
{{- $repository := ternary .repository (printf "%s/%s" .registry .repository) (empty .registry) -}}
{{- if .digest -}}
{{- printf "%s@%s" $repository .digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "drover.serverUrl" -}}
{{- $own := printf "https://%s.%s.svc:%v" (include "drover.fullname" .) .Release.Namespace .Values.hub.service.port -}}
{{- default $own .Values.hub.serverUrl -}}
{{- end }}

{{- define "drover.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "drover.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
