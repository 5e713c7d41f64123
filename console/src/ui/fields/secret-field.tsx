import { maskToken } from '@patchbay/rules/masking/masking'
import { Eye, EyeOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { ValueBox } from '../format/sid.tsx'

export interface SecretFieldProps {
  label: string
  value: string
  hint?: ReactNode
  /** Further buttons, such as for replacing or deleting the secret. */
  actions?: ReactNode
}

/** A stored secret. It is masked until the user reveals it, and it is never editable. */
export const SecretField = ({ label, value, hint, actions }: SecretFieldProps) => {
  const [revealed, setRevealed] = useState(false)
  const Icon = revealed ? EyeOff : Eye
  const masked = maskToken(value)
  return (
    <ValueBox label={label} hint={hint}>
      <code>{revealed ? value : masked}</code>
      <IconButton
        size="small"
        label={revealed ? `Hide ${label}` : `Reveal ${label}`}
        icon={<Icon aria-hidden="true" />}
        onClick={() => setRevealed(!revealed)}
      />
      <CopyButton value={value} label={`Copy ${label}`} displayText={masked} />
      {actions}
    </ValueBox>
  )
}
