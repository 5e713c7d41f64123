// Writes docs/reference/speech-vendors.md from the catalogue of vendors: `node scripts/speech-vendors.mjs`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

export const file = join(repositoryRoot, 'docs/reference/speech-vendors.md')

const useNames = { tts: 'text-to-speech', stt: 'speech-to-text' }

/** Formats a condition on uses, answers to questions, and other fields. */
const formatCondition = (condition, vendor) => {
  const getLabel = (name) => vendor.parts.find((part) => part.name === name)?.label ?? name
  const getAnswer = (name, value) =>
    vendor.parts.find((part) => part.name === name)?.answers?.find((answer) => answer.value === value)?.name ?? value
  const formatFact = ([name, expected]) => {
    if (name in useNames) return expected ? `for ${useNames[name]}` : `not for ${useNames[name]}`
    if (typeof expected === 'string') return getAnswer(name, expected)
    return `${expected ? 'with' : 'without'} "${getLabel(name)}"`
  }
  return [condition]
    .flat()
    .map((all) => Object.entries(all).map(formatFact).join(', '))
    .join('; or ')
}

const kinds = { secret: 'secret', flag: 'flag', choice: 'choice', model: 'model', file: 'JSON file', options: 'JSON' }

const fieldText = (field, vendor) => {
  const notes = [
    ...(kinds[field.kind] ? [kinds[field.kind]] : []),
    ...(field.when ? [formatCondition(field.when, vendor)] : []),
    ...(field.required === true
      ? ['required']
      : field.required
        ? [`required ${formatCondition(field.required, vendor)}`]
        : []),
  ]
  return `${field.label} (\`${field.name}\`${notes.length > 0 ? `; ${notes.join('; ')}` : ''})`
}

const row = (vendor, name, adapter) => {
  const has = (use) => (vendor[use] ? (adapter?.[use === 'tts' ? 'testTts' : 'testStt'] ? 'tested' : 'yes') : '')
  const fields = vendor.parts
    .filter(({ kind, unasked }) => kind !== 'question' && kind !== 'derived' && !unasked)
    .map((field) => fieldText(field, vendor))
  const stored = vendor.named ? `${vendor.vendor}:{name}` : vendor.vendor
  return `| ${name} | \`${stored}\` | ${has('tts')} | ${has('stt')} | ${fields.join('<br>')} |`
}

export const page = async () => {
  const { vendors } = await import('../contract/src/speech/catalogue.ts')
  const { vendorName } = await import('../rules/src/speech/names.ts')
  const { loadSpeechVendor } = await import('../server/src/adapters/speech/vendors.ts')
  const rows = await Promise.all(
    vendors.map(async (vendor) => row(vendor, vendorName(vendor.vendor), await loadSpeechVendor(vendor.vendor))),
  )
  return `# Speech vendors

The vendors of speech services and the fields of their credentials. \`node scripts/speech-vendors.mjs\` generates this
page from the descriptors in \`contract/src/speech/vendors/\`, which the console's form and the API also use.

*Tested* means that the status of a service comes from a request to the vendor. *Yes* means that the vendor is supported
and that its services are not tested.

Users can also store services of vendors that are not listed, such as those of newer platforms: *Other vendor* asks for
the name that the platform uses, and for the names and values of the fields. The API stores all members of such a
vendor, and returns \`********\` for each of their values, except flags. A change keeps the fields. They can be replaced
only all at once, because each of them may be an address that the others are sent to. Patchbay has neither a test nor
lists of languages and voices for these vendors.

| vendor | stored as | text-to-speech | speech-to-text | fields |
|---|---|---|---|---|
${rows.join('\n')}
`
}

await runOnPinnedNode(import.meta.url, async () => writeFileSync(file, await page()))
