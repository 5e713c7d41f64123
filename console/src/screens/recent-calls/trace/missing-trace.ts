/** Says why a call has no trace, and how to get one. */
export const missingTraceHint =
  'It has not arrived yet, or is older than the retention period. If no call has a trace, set the OpenTelemetry ' +
  'exporter of the feature servers to Patchbay (INTAKE_OTLP), or JAEGER_BASE_URL to the Jaeger of the platform.'
