import { z } from 'zod'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'
import { markSecret, onOff, positive, publicUrl, splitList, type Values } from './schemas.ts'

/**
 * The settings of OpenTelemetry for the export of Patchbay's own traces
 * (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables and .../protocol/exporter).
 */

export type TraceEncoding = 'protobuf' | 'json'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Decodes `name=value,name=value` with percent-encoded values. Returns undefined for a malformed list. */
const parsePairs = (list: string): Record<string, string> | undefined => {
  const pairs: Record<string, string> = {}
  for (const item of splitList(list)) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(item) ?? []
    if (name.trim() === '') return undefined
    try {
      pairs[name.trim()] = decodeURIComponent(value.trim())
    } catch {
      return undefined
    }
  }
  return pairs
}

/** HTTP header names and values (RFC 9110, section 5). Others would make every export fail. */
const isHeader = ([name, value]: [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)

const pairList = z.string().transform((list, context) => {
  const pairs = parsePairs(list)
  if (pairs === undefined) context.addIssue('must be name=value, separated by commas, with percent-encoded values')
  return pairs ?? {}
})

const headerList = pairList.refine((pairs) => Object.entries(pairs).every(isHeader), {
  error: 'must contain names and values of HTTP headers',
})

const endpoint = publicUrl('an address such as http://127.0.0.1:4318')
const protocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'must be http/protobuf or http/json; gRPC is not supported',
})
const compression = z.enum(['none', 'gzip'], { error: 'must be none or gzip' })
const milliseconds = positive.max(600_000)

const defaultServiceName = 'patchbay'

/** Settings for traces take precedence over those for all signals. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    .optional()
    .describe(
      'Base URL of the receiver, such as `http://collector:4318`. The traces are sent to `/v1/traces` below it',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint
    .optional()
    .describe('Complete URL for the traces, which is used as it is'),
  OTEL_EXPORTER_OTLP_HEADERS: markSecret(
    headerList
      .optional()
      .describe(
        'Headers of each export, such as `authorization=Bearer%20KEY`: `name=value`, separated by commas, ' +
          'with percent-encoded values',
      ),
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: markSecret(
    headerList
      .optional()
      .meta({ description: 'The same for traces', documentedDefault: '`OTEL_EXPORTER_OTLP_HEADERS`' }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf').describe('`http/protobuf` or `http/json`'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol
    .optional()
    .meta({ description: 'The same for traces', documentedDefault: '`OTEL_EXPORTER_OTLP_PROTOCOL`' }),
  OTEL_EXPORTER_OTLP_COMPRESSION: compression.default('none').describe('`none` or `gzip`'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression
    .optional()
    .meta({ description: 'The same for traces', documentedDefault: '`OTEL_EXPORTER_OTLP_COMPRESSION`' }),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds
    .default(10_000)
    .describe('Time limit of an export with its repetitions, in milliseconds'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds
    .optional()
    .meta({ description: 'The same for traces', documentedDefault: '`OTEL_EXPORTER_OTLP_TIMEOUT`' }),
  OTEL_SERVICE_NAME: z.string().max(255).optional().meta({
    description: 'Name of the service, the resource attribute `service.name`',
    documentedDefault: defaultServiceName,
  }),
  OTEL_RESOURCE_ATTRIBUTES: pairList
    .optional()
    .describe('Further attributes of all spans, such as `deployment.environment.name=production`'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
    .default('parentbased_traceidratio')
    .describe(
      '`always_on`, `always_off`, `traceidratio`, or one of these after `parentbased_`, which follows ' +
        'the decision of a [trusted proxy](../how-to/monitor.md#continue-the-trace-of-a-proxy)',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, { error: 'must be a number from 0 to 1' })
    .max(1, { error: 'must be a number from 0 to 1' })
    .default(0.01)
    .describe(
      'Part of the traces that a sampler with `traceidratio` exports, from 0 to 1. It also exports those of failed jobs, ' +
        'of requests that fail (5xx), and of slow requests',
    ),
  TRACES_SLOW_REQUEST_MS: milliseconds
    .default(1000)
    .describe('Milliseconds from which a request is slow, and a sampler with `traceidratio` always exports its trace'),
  OTEL_BSP_MAX_QUEUE_SIZE: positive
    .max(100_000)
    .default(2048)
    .describe('Number of spans that wait for an export. Patchbay drops further ones'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive.max(10_000).default(512).describe('Number of spans in an export'),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.default(5000).describe('Milliseconds between two exports'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'must be otlp or none' })
    .default('otlp')
    .describe('`otlp` or `none`'),
  OTEL_SDK_DISABLED: onOff.default(false).describe('Switch: export nothing'),
}

type TracingEnvironment = Values<typeof tracingVariables>

const getUrl = (env: TracingEnvironment): string | undefined => {
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  return base === undefined ? undefined : `${withoutTrailingSlashes(base)}/v1/traces`
}

export type TracingSettings = NonNullable<ReturnType<typeof getTracingSettings>>

/** Returns null if no traces are exported. */
export const getTracingSettings = (env: TracingEnvironment) => {
  const url = getUrl(env)
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null
  const attributes = env.OTEL_RESOURCE_ATTRIBUTES ?? {}
  const encoding: TraceEncoding =
    (env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL) === 'http/json' ? 'json' : 'protobuf'
  return {
    /** URL that receives the exports. */
    url,
    /** Additional headers of an export. They can contain credentials. */
    headers: env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    encoding,
    isCompressed: (env.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? env.OTEL_EXPORTER_OTLP_COMPRESSION) === 'gzip',
    /** Time limit of an export, including its repetitions. */
    timeoutMs: env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT,
    /** Attributes of the process, with `service.name`. */
    resource: {
      ...attributes,
      'service.name': env.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? defaultServiceName,
    },
    sampler: env.OTEL_TRACES_SAMPLER,
    /** Part of the traces that the samplers with a ratio export, 0 to 1. */
    sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
    /** Milliseconds from which the samplers with a ratio export a request that they have left out. */
    slowRequestMs: env.TRACES_SLOW_REQUEST_MS,
    /** Maximum number of spans that wait for an export. Further ones are dropped. */
    maxQueuedSpans: env.OTEL_BSP_MAX_QUEUE_SIZE,
    maxSpansPerExport: Math.min(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, env.OTEL_BSP_MAX_QUEUE_SIZE),
    exportIntervalMs: env.OTEL_BSP_SCHEDULE_DELAY,
  }
}
