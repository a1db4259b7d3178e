-- Sends the requests of a file in turn, one per line: METHOD<TAB>PATH<TAB>BODY<TAB>CONTENT-TYPE. A body "@file" is that
-- file's content. "{{n}}" in a path or body is a number that never comes again; it always has ten digits, so that
-- requests are put together once and only the number is filled in.
local token = "Bearer " .. os.getenv("TOKEN")
local PLACE = "{{nnnnnn}}"

local function contentOf(file)
  local open = assert(io.open(file, "rb"))
  local text = open:read("*a")
  open:close()
  return text
end

-- The request, cut where numbers belong.
local function pieces(method, path, body, type)
  local headers = { ["Authorization"] = token, ["Content-Type"] = type ~= "" and type or "application/json" }
  local content = nil
  if body:sub(1, 1) == "@" then
    content = contentOf(body:sub(2))
  elseif body ~= "" then
    content = body:gsub("{{n}}", PLACE)
  end
  local text = wrk.format(method, (path:gsub("{{n}}", PLACE)), headers, content)
  local cut, from = {}, 1
  while true do
    local first, last = text:find(PLACE, from, true)
    if not first then break end
    cut[#cut + 1] = text:sub(from, first - 1)
    from = last + 1
  end
  cut[#cut + 1] = text:sub(from)
  return cut
end

local list = {}
local offset = tonumber(os.getenv("OFFSET"))
local n = 0

function init()
  for line in io.lines(os.getenv("REQUESTS")) do
    local method, path, body, type = line:match("^(%S+)\t([^\t]+)\t?([^\t]*)\t?(.*)$")
    list[#list + 1] = pieces(method, path, body, type)
  end
end

function request()
  n = n + 1
  local row = list[(n + offset * 37) % #list + 1]
  if #row == 1 then return row[1] end
  return table.concat(row, tostring(1000000000 + offset * 10000000 + n))
end
