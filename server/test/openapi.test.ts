import { contract, resources } from '@patchbay/contract/contract'
import type { Endpoint } from '@patchbay/contract/endpoint'
import { openApiDocument } from '@patchbay/server/http/openapi'
import { requestExamples } from '@patchbay/server/http/request-examples'
import { expect, test } from 'vitest'

interface Described {
  name?: string
  description?: string
  summary?: string
}

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** Collects the names of all properties without a description. */
const undescribed = (schema: unknown): string[] => {
  if (Array.isArray(schema)) return schema.flatMap(undescribed)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === 'properties'
      ? Object.entries(value as Record<string, Described>).flatMap(([name, property]) => [
          ...(property.description ? [] : [name]),
          ...undescribed(property),
        ])
      : undescribed(value),
  )
}

test('every operation has a summary, and every parameter and field a description', () => {
  expect(operations.length).toBe(Object.keys(contract).length)
  for (const operation of operations) {
    const { summary, parameters } = operation as Described & { parameters: Described[] }
    expect(summary).toMatch(/^[A-Z][a-z]/)
    expect(parameters.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
  }
  expect([...new Set(undescribed(document.paths))]).toEqual([])
})

test('every tag is a resource of the contract, in its order', () => {
  expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(resources))
})

test.each(Object.entries(requestExamples))('the example of %s is a valid request', (key, example) => {
  const endpoint: Endpoint | undefined = Object.entries<Endpoint>(contract).find(
    ([endpointKey]) => endpointKey === key,
  )?.[1]
  const body = endpoint?.signedContent ?? endpoint?.body
  expect(body?.safeParse(example)).toMatchObject({ success: true })
})
