import type { ApiKey } from '@patchbay/contract/api-keys'
import { visibleSuffixLength } from '@patchbay/rules/masking/masking'
import { formatKey } from './key-columns.tsx'

/** The name of a key in a sentence, with its last characters, because a new key often has the name of the old one. */
export const KeyLabel = ({ apiKey }: { apiKey: ApiKey }) => (
  <>
    <code>{formatKey(apiKey)}</code>
    {apiKey.name && (
      <>
        {' '}
        (<code>…{apiKey.token.slice(-visibleSuffixLength)}</code>)
      </>
    )}
  </>
)
