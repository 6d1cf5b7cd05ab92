-- SPDX-License-Identifier: GPL-2.0 OR MIT
--[[
The one filter of all decks and pages.

Code blocks become figures: `pikchr` by fossil, `dot` by graphviz, `bits` (the
name of a register) by regdump, which draws it from the register table.  The
SVG is inlined, so that it uses the page's fonts, and its colours become the
theme's variables, so that it follows light and dark.

`§n.m` becomes a link into the manual, whose headings get the anchors; a
document with `fold: true` gets its level-3 sections folded.
--]]

local stringify = pandoc.utils.stringify

-- The palette that figures may use, as pikchr variables.
local palette = {
  accent = {37, 99, 235}, accentfill = {219, 234, 254},
  warn = {220, 38, 38}, warnfill = {254, 226, 226},
  good = {21, 128, 61}, goodfill = {220, 252, 231},
  mute = {107, 114, 128}, mutefill = {243, 244, 246},
}

-- A deck is read from the last row.
local prelude = {'linewid = 0.4in',
                 'fontscale = ' .. (FORMAT:match('revealjs') and 1.3 or 1.0)}
local variable = {['0,0,0'] = '--fg', ['255,255,255'] = '--bg'}
for name, c in pairs(palette) do
  prelude[#prelude + 1] = string.format('$%s = 0x%02x%02x%02x', name,
                                        c[1], c[2], c[3])
  variable[table.concat(c, ',')] = '--fig-' .. name
end
prelude = table.concat(prelude, '\n') .. '\n'

local function themed(svg)
  svg = svg:gsub('fill="(rgb%([%d,]+%))"', 'style="fill:%1"')
  return (svg:gsub('rgb%(([%d,]+)%)', function(c)
    return variable[c] and 'var(' .. variable[c] .. ')'
  end))
end

local function escape(text)
  return (text:gsub('[&<>"]', {['&'] = '&amp;', ['<'] = '&lt;',
                               ['>'] = '&gt;', ['"'] = '&quot;'}))
end

-- One pikchr unit is 1 inch; pikchr gives no width, so take the view box.
local function sized(svg, scale)
  local w, h = svg:match('viewBox="0 0 ([%d.]+) ([%d.]+)"')
  if not w then
    return svg
  end
  return (svg:gsub('<svg ', string.format(
    '<svg style="width:%.0fpx" ', w * scale), 1))
end

local function pikchr(text, scale)
  return sized(themed(pandoc.pipe('fossil', {'pikchr', '-', '-'},
                                  prelude .. text)), scale)
end

local function dot(text, scale)
  local svg = pandoc.pipe('dot', {'-Tsvg', '-Gbgcolor=transparent',
    '-Gfontname=Inter', '-Nfontname=Inter', '-Efontname=Inter'}, text)
  svg = svg:gsub('^.-<svg', '<svg'):gsub('width="[%d.]+pt" height="[%d.]+pt"',
                                         '')
  for name, c in pairs(palette) do
    svg = svg:gsub(string.format('#%02x%02x%02x', c[1], c[2], c[3]),
                   'var(--fig-' .. name .. ')')
  end
  -- Anything without a colour of its own is black, or has no fill at all.
  svg = svg:gsub('"black"', '"currentColor"')
           :gsub('fill="(var%b())"', 'style="fill:%1"')
           :gsub('stroke="(var%b())"', 'style="stroke:%1"')
           :gsub('<text ', '<text fill="currentColor" ')
  return sized(svg:gsub('viewBox="0.00 0.00', 'viewBox="0 0'), scale)
end

-- regdump draws every field; `omit` names those that share bits with another,
-- `strip` what all names begin with.  Its colours give way to the theme's.
local function bits(text, _, attributes)
  local svg = pandoc.pipe('build/bin/regdump', {'svg', text:match('%S+')}, '')
  local omit = ' ' .. (attributes.omit or '') .. ' '
  svg = svg:gsub('<style>.-</style>\n', '')
           :gsub('<svg ', '<svg class="bits" ', 1)
           :gsub('<text[^>]*class="title".-</text>\n', '', 1)
           :gsub('<g><title>(%S+)(.-</g>\n)(<text[^\n]*class="bit"[^\n]*\n)' ..
                 '(<?t?e?x?t?[^\n]*)', function(name, g, bit, last)
    local gone = omit:find(' ' .. name:gsub('^.*_', '') .. ' ', 1, true) or
      omit:find(' ' .. name .. ' ', 1, true)
    if not last:find('class="bit"') then
      return (gone and '' or '<g><title>' .. name .. g .. bit) .. last
    end
    return gone and '' or '<g><title>' .. name .. g .. bit .. last
  end)
  if attributes.strip then
    svg = svg:gsub('>' .. attributes.strip, '>')
  end
  return svg
end

local draw = {pikchr = pikchr, dot = dot, bits = bits}

local function figure(el)
  local f = draw[el.classes[1]]
  if not f then
    return nil
  end
  local caption = el.attributes.caption
  local ok, svg = pcall(f, el.text, tonumber(el.attributes.scale) or 1,
                        el.attributes)
  if not ok then
    error('figure "' .. (caption or el.text:sub(1, 40)) .. '": ' ..
          tostring(svg.output or svg))
  end
  local label = el.attributes.alt or caption or ''
  svg = svg:gsub('<svg ', '<svg role="img" aria-label="' .. escape(label) ..
                 '" ', 1)
  return pandoc.RawBlock('html', '<figure class="drawn">' .. svg ..
    (caption and '<figcaption>' .. escape(caption) .. '</figcaption>' or '') ..
    '</figure>')
end

-- --- sections of the manual ------------------------------------------------

local manual = ''	-- where it is, seen from this document
local linked = true

local function anchor(el)
  local n = stringify(el):match('^§([%d.]+)')
  if n then
    el.identifier = 's' .. n
  end
  return el
end

local function cite(el)
  local before, n, after = el.text:match('^(.-)§(%d[%d.]*)(.*)$')
  if not linked or not n then
    return nil
  end
  n, after = n:match('^(.-)(%.?)$'), n:match('%.?$') .. after
  return {pandoc.Str(before),
          pandoc.Link({pandoc.Str('§' .. n)}, manual .. '#s' .. n),
          pandoc.Str(after)}, false
end

-- Headings keep their § as text.
local function cite_in(blocks)
  return blocks:walk {
    Header = function(el) return el, false end,
    Str = cite,
    traverse = 'topdown',
  }
end

-- --- folding ----------------------------------------------------------------

local function fold(blocks)
  local out, open = pandoc.List(), false
  for _, b in ipairs(blocks) do
    if b.t == 'Header' and open and b.level <= 3 then
      out:insert(pandoc.RawBlock('html', '</details>'))
      open = false
    end
    if b.t == 'Header' and b.level == 3 then
      out:insert(pandoc.RawBlock('html', '<details><summary>Hint ' ..
        escape(stringify(b)) .. '</summary>'))
      open = true
    else
      out:insert(b)
    end
  end
  if open then
    out:insert(pandoc.RawBlock('html', '</details>'))
  end
  return out
end

-- Columns are as wide as what is in them; a table that is wider than the text
-- scrolls by itself.
local function scroll(el)
  for _, spec in ipairs(el.colspecs) do
    spec[2] = nil
  end
  return FORMAT:match('revealjs') and el or
    pandoc.Div({el}, {class = 'table'})
end

-- From a page to another: there all of them are in one folder.
local function page_link(el)
  local page = el.target:match('^%.%./([%w-]+)%.md$')
  if page then
    el.target = page .. '.html'
  end
  return el
end

-- The title is in the page's head: the document's own first heading is it.
local function untitled(blocks)
  local first = blocks[1]
  if first and first.t == 'Header' and first.level == 1 then
    blocks:remove(1)
  end
  return blocks
end

function Pandoc(doc)
  local meta = doc.meta
  local deck = FORMAT:match('revealjs')
  manual = meta.manual and stringify(meta.manual) or ''
  linked = not deck
  local blocks = doc.blocks:walk {CodeBlock = figure, Table = scroll}
  if not deck then
    blocks = untitled(blocks:walk {Header = anchor, Link = page_link})
    blocks = cite_in(blocks)
  end
  if meta.fold then
    blocks = fold(blocks)
  end
  return pandoc.Pandoc(blocks, meta)
end
