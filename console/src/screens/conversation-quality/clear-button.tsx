import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

interface ClearButtonProps {
  /** The accessible name: the filter and what the button does. */
  label: string
  onClear: () => void
  children: ReactNode
}

/** Shows a filter that a figure has set, and removes it. */
export const ClearButton = ({ label, onClear, children }: ClearButtonProps) => (
  <Button size="small" icon={<X size={14} aria-hidden="true" />} onClick={onClear} aria-label={label}>
    {children}
  </Button>
)
