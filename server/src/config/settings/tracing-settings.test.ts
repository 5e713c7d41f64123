import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfiguration } from '../configuration.ts'

const read = (variables: NodeJS.ProcessEnv) =>
  readConfiguration({ JWT_SECRET: 'a secret that only tests use', ...variables }).tracingExport

test('exports nothing without an endpoint, or if it is disabled', () => {
  expect(read({})).toBeNull()
  expect(read({ OTEL_SERVICE_NAME: 'console', OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull()
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull()
  expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
})

test('uses the defaults of OpenTelemetry, but exports only a part of the traces', () => {
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' })).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    encoding: 'protobuf',
    isCompressed: false,
    timeoutMs: 10_000,
    resource: { 'service.name': 'patchbay' },
    sampler: 'parentbased_traceidratio',
    sampleRatio: 0.01,
    slowRequestMs: 1000,
    maxQueuedSpans: 2048,
    maxSpansPerExport: 512,
    exportIntervalMs: 5000,
  })
})

test('prefers the settings for traces to those for all signals', () => {
  const settings = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/ingest',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Basic%20abc%3D, x-tenant = one ',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,service.namespace=voice%2C%20west',
    OTEL_SERVICE_NAME: 'console',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    TRACES_SLOW_REQUEST_MS: '250',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  })
  expect(settings).toMatchObject({
    url: 'https://traces.example.com/ingest',
    headers: { authorization: 'Basic abc=', 'x-tenant': 'one' },
    encoding: 'json',
    isCompressed: true,
    timeoutMs: 2000,
    resource: { 'service.name': 'console', 'service.namespace': 'voice, west' },
    sampler: 'traceidratio',
    sampleRatio: 0.1,
    slowRequestMs: 250,
    maxSpansPerExport: 100,
  })
})

test('reads the headers from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-tracing-'))
  const file = join(folder, 'headers')
  writeFileSync(file, 'api-key=from-a-file\n')
  try {
    const settings = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    })
    expect(settings?.headers).toEqual({ 'api-key': 'from-a-file' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be an address such as http://127.0.0.1:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret-text@collector', 'must be an address'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-text', 'must be name=value, separated by commas'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', 'must be name=value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret-text%0d%0ax: y', 'must contain names and values of HTTP headers'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a b=secret-text', 'must contain names and values of HTTP headers'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf or http/json; gRPC is not supported'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', 'must be none or gzip'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0', 'OTEL_EXPORTER_OTLP_TIMEOUT'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be otlp or none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on, always_off'],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'must be a number from 0 to 1'],
  ['OTEL_SDK_DISABLED', 'yes', 'must be true or false'],
])('rejects %s=%s, and shows no secret', (name, value, message) => {
  const readWrong = () => read({ [name]: value })
  expect(readWrong).toThrow(`${name}: `)
  expect(readWrong).toThrow(message)
  expect(readWrong).not.toThrow('secret-text')
})
