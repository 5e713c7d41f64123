import generated from './verb-specs.json' with { type: 'json' }

/**
 * Specifications of the platform's verbs, which `npm run verbs` generates from its packages. The union of types is
 * separated by `|`: types of JSON, `any`, `#name` for an object with its own specification, and any of these with `[]`
 * for a list.
 */

export type PropertySpec = string | { type: string; enum: readonly string[] }

export interface VerbSpec {
  properties: Readonly<Record<string, PropertySpec>>
  required?: readonly string[]
}

/** Specifications by the name of a verb or of a nested object. */
export const verbSpecs: Readonly<Record<string, VerbSpec>> = generated.specs

/** Names of all verbs, including aliases. */
export const knownVerbs: readonly string[] = generated.verbs

/** Verbs by the names of their aliases. */
export const verbAliases: Readonly<Record<string, string>> = generated.aliases
