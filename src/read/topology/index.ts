/** Machines: topology files, and changes to what they say. */
export { parseChipMap, parseGamma, parseGroups, parseLinkSpec, parseRemoval, type Removal } from './edit-texts.ts';
export {
  checkGroups,
  type LinkSpec,
  withGamma,
  withGroup,
  withLink,
  withMap,
  withOverlap,
  withoutChip,
  withoutLink,
} from './edits.ts';
export { aboutTopology } from './file.ts';
export { resolveTopology } from './resolve.ts';
