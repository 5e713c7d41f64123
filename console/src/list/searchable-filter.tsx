import { useRef } from 'react'
import { plainSelectLimit, useSearchSelect } from '../fields/use-lazy-search-select.ts'
import { FilterSelect } from '../ui/table/filter-select.tsx'

interface SearchedFilterProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** A filter that can be searched if it has many options. */
export const SearchableFilter = (props: SearchedFilterProps) => {
  const container = useRef<HTMLLabelElement>(null)
  const { Select } = useSearchSelect(props.options.length > plainSelectLimit, container)
  return Select ? <Select {...props} /> : <FilterSelect ref={container} {...props} wide />
}
