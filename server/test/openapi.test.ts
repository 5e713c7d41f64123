import type { Endpoint } from '@patchbay/contract/api/endpoint'
import { contract, type Resource, resources } from '@patchbay/contract/contract'
import { openApiDocument } from '@patchbay/server/http/openapi'
import { requestExamples } from '@patchbay/server/http/request-examples'
import { expect, test } from 'vitest'
import { commonDescriptions } from '../src/http/common-descriptions.ts'

interface Described {
  name?: string
  description?: string
  summary?: string
}

interface Operation extends Described {
  tags: string[]
  parameters: Described[]
}

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods as Readonly<Record<string, Operation>>),
)

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
  for (const { summary, parameters } of operations) {
    expect(summary).toMatch(/^[A-Z][a-z]/)
    expect(parameters.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
  }
  expect([...new Set(undescribed(document.paths))]).toEqual([])
})

/** Collects the names of all properties. */
const propertyNames = (schema: unknown): string[] => {
  if (Array.isArray(schema)) return schema.flatMap(propertyNames)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => [
    ...(key === 'properties' ? Object.keys(value as object) : []),
    ...propertyNames(value),
  ])
}

/** Returns the names of the fields and parameters of a resource. */
const fieldNames = (resource: string): ReadonlySet<string> =>
  new Set(
    operations
      .filter(({ tags }) => tags.includes(resource))
      .flatMap((operation) => [...operation.parameters.map(({ name = '' }) => name), ...propertyNames(operation)]),
  )

test('every description belongs to a field, and those of common fields to fields of several resources', () => {
  const described = Object.entries<Resource>(resources).map(([name, { descriptions }]) => ({
    names: fieldNames(name),
    descriptions,
  }))
  // A resource that includes the descriptions of another one does not have all of its fields.
  const isUsed = (name: string, text: string) =>
    described.some(({ names, descriptions }) => descriptions[name] === text && names.has(name))
  const unused = described.flatMap(({ descriptions }) =>
    Object.entries(descriptions).filter(([name, text]) => !isUsed(name, text)),
  )
  expect(unused).toEqual([])
  const rare = Object.keys(commonDescriptions).filter(
    (name) => described.filter(({ names, descriptions }) => names.has(name) && !(name in descriptions)).length < 2,
  )
  expect(rare).toEqual([])
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
